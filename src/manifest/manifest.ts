import type { Manifest } from '#contract/manifest.ts'
import type { SecretType } from '#contract/script.ts'
import type { Plugin } from '#plugin/plugin.ts'
import type { PluginCatalogue } from '#plugin/runPlugins.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive, type SecretSpec } from '#provider/form/secret.ts'

type ProviderEntry = NonNullable<Manifest['providers']>[number]
type HostEntry = NonNullable<Manifest['hosts']>[number]

const inputTypes: Record<SecretType, string> = {
  TEXT: 'text',
  PASSWORD: 'password',
  IDENTIFIER: 'text',
  CHECKBOX: 'checkbox',
}

const optionOf = (value: string, host: string | undefined) => ({ label: host ? `${value} (${host})` : value, value })

/** A variable as a form field. */
const toSecretEntry = ([variable, spec]: [string, SecretSpec]) => ({
  variable,
  value: variable,
  label: spec.label,
  type: spec.type,
  inputType: spec.choices ? 'select' : inputTypes[spec.type],
  optional: spec.optional ?? false,
  sensitive: isSensitive(spec),
  ...(spec.description !== undefined && { description: spec.description }),
  ...(spec.placeholder !== undefined && { placeholder: spec.placeholder }),
  ...(spec.helpLink !== undefined && { helpLink: spec.helpLink }),
  ...(spec.choices && { options: spec.choices.map((value) => optionOf(value, spec.regionHosts?.[value])) }),
})

/**
 * A provider with everything that a form needs. `package` is the name of its browser module. `pageUrl`: this server's page about the
 * provider, in place of each link for which the vendor has no page.
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
  secrets: Object.entries(form.secrets).map(toSecretEntry),
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
