import { openapi } from '#contract/openapi.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { manifestOf } from '#manifest/manifest.ts'
import { sdkFolder, sdkVersions } from '#manifest/sdk.ts'
import { plugins } from '#plugins/index.ts'
import { providers } from '#providers/index.ts'
import aglet from '../../package.json' with { type: 'json' }
import type { ControlWorld } from './world.ts'

type Operations = typeof operations

/** What this build serves: the SDKs that were built, the newest first, and the edge in the version of the package. */
export const versions = { sdkVersion: sdkVersions(sdkFolder), edgeVersion: [aglet.version] }
const manifest = manifestOf(providers, { sdk: versions.sdkVersion, edge: versions.edgeVersion }, plugins)

export const readManifest: Answer<Operations['readManifest'], ControlWorld> = () => manifest

export const readKeys: Answer<Operations['readKeys'], ControlWorld> = (_, on) => ({ keys: on.sealingKeys.published() })

export const readOpenapi: Answer<Operations['readOpenapi'], ControlWorld> = (_, on) => openapi(on.baseUrl)
