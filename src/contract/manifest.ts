import { type Static, Type } from './schema.ts'

const Text = Type.Optional(Type.String())
const Flag = Type.Optional(Type.Boolean())
const Texts = Type.Optional(Type.Array(Type.String()))

export const InputDescriptor = Type.Object({
  label: Text,
  value: Text,
  inputType: Text,
  description: Text,
  placeholder: Text,
  helpLink: Text,
  optional: Flag,
})

export const SecretDescriptor = Type.Object({
  ...InputDescriptor.properties,
  variable: Type.String(),
  type: Type.String(),
  sensitive: Type.Boolean(),
  options: Type.Optional(
    Type.Array(Type.Object({ label: Text, value: Text }), {
      description: 'the only valid values; the first is the default',
    }),
  ),
})

export const ManifestHost = Type.Object({
  label: Text,
  value: Text,
  cname: Type.Optional(Type.Object({ allowChange: Flag, show: Flag, defaultCname: Flag })),
  identifier: Type.Optional(InputDescriptor),
  secrets: Type.Optional(Type.Array(InputDescriptor)),
})

export const ManifestProvider = Type.Object({
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
})

export const ManifestPlugin = Type.Object({
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
