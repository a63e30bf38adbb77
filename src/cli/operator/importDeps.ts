import { catalogueOf, type ImportDeps } from '#import/channels.ts'
import { buildManifest } from '#manifest/manifest.ts'
import { providers } from '#providers/index.ts'
import { regexIssue } from '#rule/regex.ts'

/** What imports know of this version's providers and rules. No server is asked. */
export const importDeps: ImportDeps = {
  catalogue: catalogueOf(buildManifest(providers, { sdk: [], edge: [] }, { providersUrl: '' })),
  regexIssue,
  valueIssue: (providerId, variable, value) =>
    value === '' ? undefined : providers[providerId]?.secrets[variable]?.check?.(value),
}
