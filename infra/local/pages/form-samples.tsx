/** @jsxImportSource preact */
import { Notice } from "../../../shared/pages/view/components.tsx";
import {
  Choices,
  Field,
  FileField,
  Form,
  NewPasswordField,
  PasswordField,
  Select,
  TextArea,
} from "../../../shared/pages/view/forms.tsx";
import { Part } from "./part.tsx";

const languages = [
  { value: "lug", label: "Luganda" },
  { value: "ach", label: "Acholi" },
];

const Texts = () => (
  <div class="card">
    <Field name="plain" label="Key name" hint="A name that reminds you which program uses it." />
    <Field name="filled" label="Organisation" value="Clinic of Mbarara" isOptional />
    <Field
      name="wrong"
      label="Email address"
      value="nakato@example"
      problem="The part after “@” is incomplete, as in name@example.com."
    />
    <Field name="missing" label="Username" problem="Enter your {field}." />
    <TextArea name="text" label="Text" value="Wasuze otya nno, ssebo?" />
  </div>
);

const Others = () => (
  <div class="card">
    <PasswordField name="password" label="Password" />
    <NewPasswordField name="new-password" label="New password" />
    <Select name="language" label="Language" options={languages} value="ach" />
    <FileField name="file" label="File" accept="audio/*" hint="MP3, Ogg or WAV." />
    <Choices
      name="scopes"
      label="Scopes"
      options={languages}
      chosen={["lug"]}
      hint="Leave blank to allow everything."
    />
  </div>
);

/** The fields of forms. Nothing here can be sent. */
export const FormSamples = () => (
  <Part title="Forms">
    <Notice kind="bad" title="Please fix the errors below">
      <ul>
        <li>
          <a href="#wrong">Email address</a>: The part after “@” is incomplete, as in name@example.com.
        </li>
      </ul>
    </Notice>
    <div class="columns two">
      <Texts />
      <Others />
    </div>
    <div class="row">
      <Form to="/_local/components" submit="Save profile" />
      <Form to="/_local/components" submit="Send the link again" look="secondary" />
      <Form to="/_local/components" submit="Delete account" look="danger" />
    </div>
  </Part>
);
