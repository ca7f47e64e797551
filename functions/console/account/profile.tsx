import { maxAccountKeywords, organizationTypes } from "../../../shared/accounts/profile/manage-profile.ts";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Facts } from "../../../shared/pages/view/components.tsx";
import { Field, Form, optionsOf, Select, TextArea } from "../../../shared/pages/view/forms.tsx";
import { transcriptionLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { type AccountView, accountPath } from "./account-view.ts";
import { candidateFields } from "./pages.ts";

export const Email = (visit: AccountView) => {
  const { account, texts } = visit;
  const words = texts.overview;
  return (
    <>
      <Facts
        facts={[
          [texts.account.username, account.username],
          [words.email, account.email],
          [words.emailStatus, account.email_verified ? words.verified : words.notVerified],
        ]}
      />
      {!account.email_verified && (
        <Form
          to={accountPath}
          submit={words.sendAgain}
          look="secondary"
          {...sentTo("send-verification", visit).form}
        />
      )}
    </>
  );
};

export const Profile = (visit: AccountView) => {
  const { account, texts } = visit;
  const words = texts.account;
  const { form, field } = sentTo("save-profile", visit);
  const optional = (name: string, known?: string | null) => ({ ...field(name, known), isOptional: true });
  const none = { value: "", label: words.notChosen };
  const languages = [none, ...optionsOf(transcriptionLanguages)];
  const types = organizationTypes.map((value) => ({ value, label: words.organizationTypes[value] }));
  return (
    <Form to={accountPath} submit={words.save} {...form}>
      <Field {...optional("full_name", account.full_name)} label={words.fullName} autocomplete="name" />
      <Field
        {...optional("organization", account.organization === "Unknown" ? null : account.organization)}
        label={words.organization}
        autocomplete="organization"
      />
      <Select
        {...optional("organization_type", account.organization_type)}
        label={words.organizationType}
        options={[none, ...types]}
      />
      <Field
        {...optional("sector", account.sector?.join(", "))}
        label={words.sector}
        hint={words.sectorHint}
      />
      <Select
        {...optional("default_language", account.default_language)}
        label={words.defaultLanguage}
        hint={words.defaultLanguageHint}
        options={languages}
      />
      {candidateFields.map((name, index) => (
        <Select
          key={name}
          {...optional(name, account.default_languages?.[index])}
          label={fill(words.candidateLanguage, { number: index + 1 })}
          hint={index === 0 ? words.candidateLanguageHint : undefined}
          options={languages}
        />
      ))}
      <TextArea
        {...optional("keywords", account.keywords?.join(", "))}
        label={words.keywords}
        hint={fill(words.keywordsHint, { count: maxAccountKeywords })}
        rows={3}
      />
    </Form>
  );
};
