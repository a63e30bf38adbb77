import type { SettingsAnswer, SourceRequest } from './source.ts'

/** Segment's app SDKs request settings when an app starts, and then send to the host in the answer. */
const segmentAddress = /^(?:\/v1)?\/projects\/([^/]{1,400})\/settings$/
/** RudderStack's SDKs. */
const rudderStackAddress = /^\/sourceConfig\/?$/

export const isSettingsAddress = (path: string): boolean => segmentAddress.test(path) || rudderStackAddress.test(path)

type SettingsCall = { key: string; isKeyInUrl: boolean; answer: SettingsAnswer }

/**
 * The settings that an SDK requests before it sends an event, and the key in the request; undefined for another
 * address. `keyOf` reads the key of any other request.
 */
export function settingsAt(
  request: SourceRequest,
  keyOf: (request: SourceRequest) => string | undefined,
): SettingsCall | undefined {
  const key = segmentAddress.exec(request.path)?.[1]
  if (key !== undefined) return { key, isKeyInUrl: true, answer: segmentSettings }
  if (!rudderStackAddress.test(request.path)) return undefined
  return { key: keyOf(request) ?? '', isKeyInUrl: false, answer: rudderStackSettings }
}

/** `integrations` must have no other name: each name makes the SDK send to that vendor itself. */
const segmentSettings: SettingsAnswer = ({ key, tagUrl }) => ({
  integrations: { 'Segment.io': { apiKey: key, apiHost: `${tagUrl.replace(/^https?:\/\//, '')}/v1` } },
  plan: {},
  edgeFunction: {},
  metrics: { sampleRate: 0 },
  middlewareSettings: {},
})

const off = { enabled: false }

const rudderStackSettings: SettingsAnswer = ({ key, tagUrl, tagId, now }) => {
  const plane = [{ url: tagUrl, default: true }]
  return {
    isHosted: true,
    source: {
      id: tagId,
      name: tagId,
      writeKey: key,
      enabled: true,
      workspaceId: tagId,
      config: { statsCollection: { errors: off, metrics: off } },
      dataplanes: { EU: plane, US: plane },
      destinations: [],
      updatedAt: new Date(now).toISOString(),
    },
  }
}
