import { proofField } from "../../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge, Facts } from "../../../shared/pages/view/components.tsx";
import { momentOf } from "../../../shared/pages/view/dates.ts";
import { Form, NewPasswordField, PasswordField } from "../../../shared/pages/view/forms.tsx";
import { secondFactorPage } from "../second-factor/pages.ts";
import { type AccountView, accountPath } from "./account-view.ts";
import { browserName } from "./browser-name.ts";

export const Password = (visit: AccountView) => {
  const { account, texts, identities, providers } = visit;
  const words = texts.account;
  if (!account.has_password) {
    const provider = providers.find(({ issuer }) => issuer === identities[0]?.issuer)?.name;
    const { form, field } = sentTo("set-password", visit);
    return (
      <>
        <p>{fill(words.firstPasswordText, { provider: provider ?? identities[0]?.issuer ?? "" })}</p>
        <Form to={accountPath} submit={words.setPassword} {...form}>
          <NewPasswordField {...field("first_password")} label={words.newPassword} />
          {proofField(visit, "set-password")}
        </Form>
      </>
    );
  }
  const { form, field } = sentTo("change-password", visit);
  return (
    <>
      <p>{words.passwordText}</p>
      <Form to={accountPath} submit={words.changePassword} {...form}>
        <PasswordField {...field("old_password")} label={words.currentPassword} />
        <NewPasswordField {...field("new_password")} label={words.newPassword} />
      </Form>
    </>
  );
};

export const SecondFactorStatus = ({ account, texts, url }: AccountView) => {
  const words = texts.secondFactor;
  const isOn = account.has_second_factor;
  return (
    <>
      <p>
        <Badge kind={isOn ? "good" : "warning"}>{isOn ? words.isOn : words.isOff}</Badge>
      </p>
      <p>{words.about}</p>
      <a class="button secondary" href={url(secondFactorPage.path)}>
        {isOn ? words.manage : words.open}
      </a>
    </>
  );
};

export const Sessions = (visit: AccountView) => {
  const { texts, language, sessions, session } = visit;
  const words = texts.account;
  return (
    <>
      <p>{words.sessionsText}</p>
      <ul class="listed">
        {sessions.map(({ id, userAgent, createdAt, seenAt }) => (
          <li key={id}>
            <h3>
              {browserName(userAgent)} {id === session.id && <Badge kind="good">{words.thisSession}</Badge>}
            </h3>
            <Facts
              facts={[
                [words.started, momentOf(createdAt * 1_000, language)],
                [words.lastSeen, momentOf(seenAt * 1_000, language)],
              ]}
            />
          </li>
        ))}
      </ul>
      <p>{words.logOutText}</p>
      <Form
        to={accountPath}
        submit={words.logOutEverywhere}
        look="secondary"
        {...sentTo("log-out-everywhere", visit).form}
      />
    </>
  );
};

const Unlink = ({
  visit,
  id,
  provider,
}: {
  readonly visit: AccountView;
  readonly id: string;
  readonly provider: string;
}) => {
  const label = fill(visit.texts.account.unlink, { provider });
  const isThis = visit.values["identity"] === id;
  // All of these forms have the same action, and only one of them was sent.
  const sent = isThis ? visit : { ...visit, values: {} };
  return (
    <details open={isThis} class="revoke">
      <summary>{label}</summary>
      <Form to={accountPath} submit={label} look="danger" {...sentTo("unlink", sent).form}>
        <input type="hidden" name="identity" value={id} />
        {proofField(sent, "unlink", { id: `unlink-${id}` })}
      </Form>
    </details>
  );
};

export const Identities = (visit: AccountView) => {
  const { account, texts, identities, providers } = visit;
  const words = texts.account;
  if (identities.length === 0 && providers.length === 0) return null;
  const isLastWay = !account.has_password && identities.length === 1;
  const nameOf = (issuer: string) => providers.find((provider) => provider.issuer === issuer)?.name ?? issuer;
  const joinable = providers.filter(({ issuer }) => !identities.some((joined) => joined.issuer === issuer));
  return (
    <section class="card" aria-labelledby="identities">
      <h2 id="identities">{words.identities}</h2>
      <p>{words.identitiesText}</p>
      {identities.map(({ id, issuer, email }) => (
        <div class="provider" key={id}>
          <h3>{nameOf(issuer)}</h3>
          {email !== undefined && <p>{email}</p>}
          {isLastWay ? (
            <p class="hint">{words.lastWayIn}</p>
          ) : (
            <Unlink visit={visit} id={id} provider={nameOf(issuer)} />
          )}
        </div>
      ))}
      {joinable.map(({ letter, name }) => (
        <p key={letter}>
          <a class="button secondary" href={visit.url(`/console/account/identities/${letter}`)}>
            {fill(texts.identity.joinTitle, { provider: name })}
          </a>
        </p>
      ))}
    </section>
  );
};
