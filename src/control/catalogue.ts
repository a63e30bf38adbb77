import { buildOpenapi } from '#contract/openapi.ts'
import { buildManifest } from '#manifest/manifest.ts'
import { sdkFolder, sdkVersions } from '#manifest/sdkBuilds.ts'
import { plugins } from '#plugins/index.ts'
import { providers } from '#providers/index.ts'
import aglet from '../../package.json' with { type: 'json' }
import type { AnswerFor, ControlDeps } from './controlDeps.ts'

/** The SDK versions of this build, newest first, and the edge version, which is the package version. */
export const buildVersions = { sdkVersion: sdkVersions(sdkFolder), edgeVersion: [aglet.version] }
const versions = { sdk: buildVersions.sdkVersion, edge: buildVersions.edgeVersion }

/** Memoizes a document for each server: documents are large and public, and do not change. */
function madeOnce<Made>(make: (deps: ControlDeps) => Made): (deps: ControlDeps) => Made {
  const made = new WeakMap<ControlDeps, Made>()
  return (deps) => {
    const known = made.get(deps) ?? make(deps)
    made.set(deps, known)
    return known
  }
}

const manifestOf = madeOnce((deps) =>
  buildManifest(providers, versions, { plugins, providersUrl: new URL('/docs/providers', deps.baseUrl).href }),
)
const openapiOf = madeOnce(({ baseUrl, tagUrl, brand }) => buildOpenapi({ baseUrl, tagUrl: tagUrl('{tagId}'), brand }))

export const readManifest: AnswerFor<'readManifest'> = (_, deps) => manifestOf(deps)

export const readKeys: AnswerFor<'readKeys'> = (_, deps) => ({
  keys: deps.sealingKeys.published(),
})

export const readOpenapi: AnswerFor<'readOpenapi'> = (_, deps) => openapiOf(deps)
