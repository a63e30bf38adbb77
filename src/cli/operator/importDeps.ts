import { catalogueOf, type ImportDeps } from '#import/channels.ts'
import { buildManifest } from '#manifest/manifest.ts'
import { providers } from '#providers/index.ts'
import { regexIssue } from '#rule/regex.ts'

/** The providers and rules of this version, for imports. Calls no server. */
export const importDeps: ImportDeps = {
  catalogue: catalogueOf(buildManifest(providers, { sdk: [], edge: [] }, { providersUrl: '' })),
  regexIssue,
  valueIssue: (providerId, variable, value) =>
    value === '' ? undefined : providers[providerId]?.secrets[variable]?.check?.(value),
}
