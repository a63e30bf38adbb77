import { buildCatalogue } from '#cli/api/secretReferences.ts'
import type { Script, SecretState } from '#contract/script.ts'
import type { Tag } from '#contract/tag.ts'
import type { TeamState } from './teamState.ts'

const variable = (name: string, more: { sensitive?: boolean; optional?: boolean } = {}) => ({
  variable: name,
  type: more.sensitive ? 'PASSWORD' : 'TEXT',
  sensitive: false,
  optional: false,
  ...more,
})

const catalogue = buildCatalogue({
  providers: [
    {
      value: 'eventSink',
      secrets: [
        variable('EVENT_SINK_URL'),
        variable('EVENT_SINK_EVENTS', { optional: true }),
        variable('EVENT_SINK_SECRET', { sensitive: true, optional: true }),
      ],
    },
    { value: 'facebook', secrets: [variable('PIXEL'), variable('TOKEN', { sensitive: true })] },
  ],
})

export const tagNamed = (name: string, more: Partial<Tag> = {}): Tag => ({
  tagId: `tag_${name}`,
  name,
  domain: 'shop.example.com',
  tagUrl: `https://aglet.example/t/tag_${name}`,
  hosts: [],
  allowedOrigins: [],
  consent: 'enabled',
  gpc: false,
  saleOptOut: 'refuse',
  sameSite: 'Lax',
  serverToken: 'optional',
  hold: 'off',
  captureBeforeConsent: 'all',
  sources: [],
  adapters: [],
  passEventId: true,
  sdkVersion: 'latest',
  edgeVersion: 'latest',
  plugins: [],
  createdAt: '2026-11-20',
  version: 1,
  updatedAt: Date.UTC(2026, 10, 20),
  ...more,
})

export const scriptNamed = (name: string, more: Partial<Script> = {}): Script => ({
  scriptId: `scr_${name}`,
  name,
  providerId: 'eventSink',
  createdAt: '2026-11-20',
  version: 1,
  updatedAt: Date.UTC(2026, 10, 20),
  purchaseValueMode: 'gross',
  secrets: secretsOf({ EVENT_SINK_URL: 'https://a.example/in' }),
  ...more,
})

/** Secret states as the API returns them: a text for a visible value, true for a hidden one. */
export function secretsOf(set: Record<string, string | true>): Record<string, SecretState> {
  const states = Object.entries(set).map(([name, value]) => [name, { isSet: true, ...(value !== true && { value }) }])
  return Object.fromEntries(states)
}

export const stateOf = (...tags: (Tag & { scripts: Script[] })[]): TeamState => ({ tags, catalogue })
