import { buildOpenapi } from '#contract/openapi.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { buildManifest } from '#manifest/manifest.ts'
import { sdkFolder, sdkVersions } from '#manifest/sdkBuilds.ts'
import { plugins } from '#plugins/index.ts'
import { providers } from '#providers/index.ts'
import aglet from '../../package.json' with { type: 'json' }
import type { ControlDeps } from './controlDeps.ts'

type Operations = typeof operations

/** The SDK versions that this build serves, newest first, and the edge version, which is the package's version. */
export const buildVersions = { sdkVersion: sdkVersions(sdkFolder), edgeVersion: [aglet.version] }
const versions = { sdk: buildVersions.sdkVersion, edge: buildVersions.edgeVersion }

/** Keeps what is made for a server: these documents are large, anyone may ask for them, and they do not change. */
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

export const readManifest: OperationAnswer<Operations['readManifest'], ControlDeps> = (_, deps) => manifestOf(deps)

export const readKeys: OperationAnswer<Operations['readKeys'], ControlDeps> = (_, deps) => ({
  keys: deps.sealingKeys.published(),
})

export const readOpenapi: OperationAnswer<Operations['readOpenapi'], ControlDeps> = (_, deps) => openapiOf(deps)
