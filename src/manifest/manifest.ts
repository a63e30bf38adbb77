import type { Manifest } from '#contract/manifest.ts'
import type { SecretType } from '#contract/script.ts'
import type { Plugin } from '#plugin/plugin.ts'
import type { PluginCatalogue } from '#plugin/runPlugins.ts'
import { headersCheck } from '#provider/form/customHeaders.ts'
import { eventMappingCheck } from '#provider/form/eventMapping.ts'
import { matchKeysOf } from '#provider/form/matchKeys.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive, type SecretSpec } from '#provider/form/secret.ts'
import { urlCheck } from '#provider/form/variables.ts'
import { serviceAccountCheck } from '#provider/vendors/googleSignIn.ts'

type ProviderEntry = NonNullable<Manifest['providers']>[number]
type HostEntry = NonNullable<Manifest['hosts']>[number]

/** The default input per type of variable. */
const inputTypes: Record<SecretType, string> = {
  TEXT: 'text',
  PASSWORD: 'password',
  IDENTIFIER: 'text',
  CHECKBOX: 'checkbox',
}

const jsonChecks: ReadonlySet<SecretSpec['check']> = new Set([headersCheck, serviceAccountCheck])

/** The input of a variable: by its choices, its role in the provider, and its check. */
function inputTypeOf(variable: string, spec: SecretSpec, { code, eventMapping }: Provider): string {
  if (spec.choices) return 'select'
  if (variable === code?.source) return 'code'
  if (variable === code?.values || spec.input === 'json' || jsonChecks.has(spec.check)) return 'json'
  if (variable === eventMapping || spec.check === eventMappingCheck) return 'pairs'
  if (spec.input === 'list') return 'list'
  return spec.type !== 'PASSWORD' && spec.check === urlCheck ? 'url' : inputTypes[spec.type]
}

/** The indexes of the credential sets that a variable belongs to. */
const groupOf = (variable: string, { credentialSets = [] }: Provider): number[] =>
  credentialSets.flatMap((set, at) => (set.includes(variable) ? [at] : []))

const optionOf = (value: string, host: string | undefined) => ({ label: host ? `${value} (${host})` : value, value })

/** A variable as a form field. */
const toSecretEntry = (variable: string, spec: SecretSpec, form: Provider) => ({
  variable,
  value: variable,
  label: spec.label,
  type: spec.type,
  inputType: inputTypeOf(variable, spec, form),
  optional: spec.optional ?? false,
  sensitive: isSensitive(spec),
  ...(spec.check?.pattern !== undefined && { pattern: spec.check.pattern }),
  ...(groupOf(variable, form).length > 0 && { group: groupOf(variable, form) }),
  ...(spec.description !== undefined && { description: spec.description }),
  ...(spec.placeholder !== undefined && { placeholder: spec.placeholder }),
  ...(spec.helpLink !== undefined && { helpLink: spec.helpLink }),
  ...(spec.choices && { options: spec.choices.map((value) => optionOf(value, spec.regionHosts?.[value])) }),
})

const sampleData = {
  orderId: 'order-1001',
  value: 59.98,
  currency: 'EUR',
  contents: [{ id: 'sku-1', title: 'Runner', category: 'Shoes', quantity: 2, item_price: 29.99 }],
}

const takesCustom = ({ customEventName, eventMapping }: Provider) =>
  customEventName !== undefined || eventMapping !== undefined

/** A purchase, or the first event that the provider lists; none for a provider that takes no event. */
function sampleOf(form: Provider): Pick<ProviderEntry, 'sample'> {
  const names = Object.keys(form.events)
  if (names.length === 0 && !takesCustom(form)) return {}
  const eventName = names.includes('Purchase') ? 'Purchase' : (names[0] ?? 'Purchase')
  return { sample: { eventName, data: sampleData } }
}

/**
 * A provider with everything that a form needs. `package`: the name of its browser module. `pageUrl`: this server's page
 * about the provider, used where the vendor has no page to link to.
 */
const toProviderEntry = ([id, form]: [string, Provider], pageUrl: string): ProviderEntry => ({
  value: id,
  label: form.label,
  package: form.hasBrowserModule ? id : '',
  isApiOnly: !form.hasBrowserModule,
  onlyAdminProvider: false,
  hasActivation: form.hasActivation ?? false,
  dashboardUrl: form.dashboardUrl ?? pageUrl,
  isApp: form.isApp ?? false,
  appPlatforms: [...(form.appPlatforms ?? [])],
  stage: form.stage,
  hideGeoRegions: false,
  hidePurchaseValueMode: form.hidePurchaseValueMode ?? false,
  consentCategory: [...form.consent],
  isSingleton: form.isSingleton ?? false,
  usagePolicy: { excludeFromUsage: false, excludedEvents: [] },
  links: { documentation: form.docs, onboarding: pageUrl, introduction: pageUrl, faq: pageUrl, ...form.links },
  secrets: Object.entries(form.secrets).map(([variable, spec]) => toSecretEntry(variable, spec, form)),
  ...(form.credentialSets && { credentialSets: form.credentialSets.map((set) => [...set]) }),
  events: { ...form.events },
  takesCustomEvents: takesCustom(form),
  ...(form.matchKeys && { matchKeys: matchKeysOf(form) }),
  needs: (form.requires ?? []).map((each) => [each].flat() as string[]),
  ...sampleOf(form),
})

const toPluginEntry = (
  name: string,
  { label, stage, description, settings }: Plugin,
): NonNullable<Manifest['plugins']>[number] => ({
  value: name,
  label,
  package: '',
  stage,
  onlyAdminPlugin: false,
  description,
  settings: { ...settings },
})

/** The kinds of tag hosts: the tag URL of this server, or a host name of the customer. */
const hosts: HostEntry[] = [
  {
    label: 'Tag URL of this server',
    value: 'standalone',
    cname: { allowChange: false, show: false, defaultCname: false },
    secrets: [],
  },
  {
    label: 'Own host name',
    value: 'cname',
    cname: { allowChange: true, show: true, defaultCname: false },
    identifier: {
      label: 'Host name',
      value: 'host',
      inputType: 'text',
      description: 'A name under the domain of the site, with a CNAME record that points to this server',
      placeholder: 'd.example.com',
      optional: false,
    },
    secrets: [],
  },
]

/** Builds the manifest. `providersUrl`: this server's page of all providers. The first consent category of a provider is the default of its scripts. */
export const buildManifest = (
  providers: Readonly<Record<string, Provider | undefined>>,
  versions: { sdk: readonly string[]; edge: readonly string[] },
  { plugins = {}, providersUrl }: { plugins?: PluginCatalogue; providersUrl: string },
): Manifest => ({
  sdkVersions: [...versions.sdk],
  edgeVersions: [...versions.edge],
  hosts,
  providers: Object.entries(providers).flatMap(([id, form]) =>
    form ? [toProviderEntry([id, form], `${providersUrl}#${id}`)] : [],
  ),
  plugins: Object.entries(plugins).flatMap(([name, form]) => (form ? [toPluginEntry(name, form)] : [])),
})
