import { OptionalFlag, OptionalText, type Static, Type } from './schema.ts'

const Text = Type.Optional(Type.String())
const Flag = Type.Optional(Type.Boolean())
const Texts = Type.Optional(Type.Array(Type.String()))

const InputDescriptor = Type.Object({
  label: Text,
  value: Text,
  inputType: OptionalText('text, password, checkbox, select, url, json, code, pairs (a JSON list of pairs) or list'),
  description: Text,
  placeholder: Text,
  helpLink: Text,
  optional: Flag,
})

const SecretDescriptor = Type.Object({
  ...InputDescriptor.properties,
  variable: Type.String(),
  type: Type.String(),
  sensitive: Type.Boolean(),
  pattern: OptionalText('a JavaScript regular expression that a valid value matches; absent if there is none'),
  group: Type.Optional(
    Type.Array(Type.Integer(), {
      description: 'the alternatives that it belongs to, by their index in `credentialSets` of the provider',
    }),
  ),
  options: Type.Optional(
    Type.Array(Type.Object({ label: Text, value: Text }), {
      description: 'the only valid values; the first is the default',
    }),
  ),
})

const ManifestHost = Type.Object({
  label: Text,
  value: Text,
  cname: Type.Optional(Type.Object({ allowChange: Flag, show: Flag, defaultCname: Flag })),
  identifier: Type.Optional(InputDescriptor),
  secrets: Type.Optional(Type.Array(InputDescriptor)),
})

const ManifestProvider = Type.Object({
  label: Text,
  value: Text,
  package: Text,
  isApiOnly: Flag,
  onlyAdminProvider: Flag,
  hasActivation: Flag,
  dashboardUrl: Text,
  isApp: Flag,
  appPlatforms: Texts,
  stage: Text,
  hideGeoRegions: Flag,
  hidePurchaseValueMode: Flag,
  consentCategory: Texts,
  isSingleton: Flag,
  usagePolicy: Type.Optional(Type.Object({ excludeFromUsage: Flag, excludedEvents: Texts })),
  links: Type.Optional(Type.Object({ documentation: Text, onboarding: Text, introduction: Text, faq: Text })),
  secrets: Type.Optional(Type.Array(SecretDescriptor)),
  credentialSets: Type.Optional(
    Type.Array(Type.Array(Type.String()), { description: 'alternatives of variables: a script needs one whole set' }),
  ),
  events: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'the events that it takes, with the vendor’s name of each',
    }),
  ),
  takesCustomEvents: OptionalFlag('it accepts events with other names, or with names in a map'),
  needs: Type.Optional(
    Type.Array(Type.Array(Type.String()), {
      description: 'an event must have one of these for its person; all members of an inner list are required together',
    }),
  ),
  matchKeys: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String({ description: 'a key of the person, `captured` or `app`' }),
        vendorKey: Type.String({ description: 'the vendor’s field, or the name of the captured value or id' }),
        strength: Type.Enum(['strong', 'medium', 'weak']),
      }),
      { description: 'how the vendor finds the person, strongest first; absent if it matches nobody' },
    ),
  ),
  sample: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'an event that it accepts' })),
})

const ManifestPlugin = Type.Object({
  label: Text,
  value: Text,
  package: Text,
  stage: Text,
  onlyAdminPlugin: Flag,
  description: Text,
  settings: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'a JSON Schema' })),
})

export const Manifest = Type.Object({
  sdkVersions: Texts,
  edgeVersions: Texts,
  hosts: Type.Optional(Type.Array(ManifestHost)),
  providers: Type.Optional(Type.Array(ManifestProvider)),
  plugins: Type.Optional(Type.Array(ManifestPlugin)),
})
export type Manifest = Static<typeof Manifest>
