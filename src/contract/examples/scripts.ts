import type { Deployment } from '../deployment.ts'
import type { Tag } from '../tag.ts'
import { at, createdAt, exampleValues, type OperationExamples } from './example.ts'

const { tagId, scriptId, secretId, hookId, tokenId } = exampleValues

const secrets = [
  {
    variable: 'EVENT_SINK_URL',
    type: 'TEXT',
    data: 'mDJ2vE0pXy3N9c5sQh7k1b8R4tZwA6uVfLgOiKjP2nSxYqBe',
    iv: 'k3J9x2Qm7Lw5Tz8a',
    key: 'uy4_W9ZwLlsXJbyfqnDkPLqed2ZXcSHVmQpjJLCIzcc.c2VhbGVkIGJ5IHRoZSBjYWxsZXI',
  },
]
const settings = {
  name: 'warehouse',
  providerId: 'eventSink',
  consentCategory: 'analytics',
  geoRegions: 'EU,US,-US-CA',
  purchaseValueMode: 'net',
} as const

const revision = { version: 3, updatedAt: at, updatedBy: tokenId }
const script = {
  scriptId,
  ...settings,
  createdAt,
  ...revision,
  secrets: {
    EVENT_SINK_URL: {
      secretId,
      value: 'https://warehouse.example.com/in',
      type: 'TEXT',
      isSet: true,
      setAt: at,
      optional: false,
    },
    EVENT_SINK_SECRET: { type: 'PASSWORD', isSet: false, optional: true },
  },
}

const tag: Tag = {
  tagId,
  name: 'shop',
  domain: 'shop.example.com',
  tagUrl: `https://aglet.example.com/t/${tagId}`,
  hosts: ['d.shop.example.com'],
  hostStates: [
    {
      host: 'd.shop.example.com',
      state: 'ready',
      record: 'd.shop.example.com CNAME aglet.example.com',
      proof: `_aglet.d.shop.example.com TXT ${tagId}`,
      provedAt: 1_795_168_800_000,
    },
  ],
  allowedOrigins: ['https://checkout.example.com'],
  consent: 'enabled',
  gpc: true,
  saleOptOut: 'refuse',
  sameSite: 'Lax',
  serverToken: 'optional',
  hold: 'off',
  captureBeforeConsent: 'memory',
  sources: [],
  adapters: ['dataLayer', 'fbq'],
  primaryAdapter: 'dataLayer',
  passEventId: true,
  sdkVersion: 'latest',
  edgeVersion: 'latest',
  plugins: [],
  createdAt,
  ...revision,
}

const deployment: Deployment = {
  number: 3,
  at,
  by: tokenId,
  isLive: true,
  changes: { settings: [], scripts: [{ scriptId, name: 'warehouse', change: 'changed', fields: ['geoRegions'] }] },
}

const paused = { scriptId, paused: true }
const hook = { hookId, url: 'https://ci.example.com/aglet' }

export const scriptExamples = {
  createScript: { body: { ...settings, tagId, secrets }, response: { scriptId } },
  listScripts: { response: { scripts: [script] } },
  readScript: { response: script },
  updateScript: { body: { ...settings, tagId, purchaseValueMode: 'gross' }, response: { scriptId } },
  patchScript: {
    body: { secrets },
    response: { scriptId, notLive: [{ name: 'geoRegions', before: 'EU', after: 'EU,US' }] },
  },
  deleteScript: { response: { errors: [] } },
  pauseScript: { response: paused },
  resumeScript: { response: { ...paused, paused: false } },
  createTag: {
    body: { name: 'shop', domain: 'shop.example.com', gpc: true },
    response: { ...tag, hosts: [], hostStates: [] },
  },
  listTags: { response: { tags: [{ ...tag, hostStates: [] }], next: 'Mw' } },
  readTag: { response: tag },
  updateTag: { body: { hosts: ['d.shop.example.com'] }, response: tag },
  deleteTag: { response: { tagId } },
  applyTagConfig: {
    body: { tagId, tag: { gpc: true }, scripts: [{ ...settings, secrets }], removedScriptIds: [scriptId] },
    response: { tagId, scripts: [{ scriptId, name: settings.name }], warnings: [], errors: [] },
  },
  checkTagConfig: {
    body: { tag: { name: 'shop', domain: 'shop.example.com' }, scripts: [{ ...settings, secrets }], newTags: 0 },
    response: { warnings: [], missingScopes: ['script:delete'] },
  },
  deployTag: { response: deployment },
  listDeployments: { response: { deployments: [deployment], next: 'Mw' } },
  readDeployment: {
    response: {
      ...deployment,
      values: {
        settings: [],
        scripts: [
          {
            scriptId,
            name: 'Meta',
            providerId: 'facebook',
            change: 'changed',
            values: [{ name: 'geoRegions', before: 'EU', after: 'EU,US' }],
          },
        ],
      },
    },
  },
  readDraft: {
    response: { live: 3, values: { settings: [{ name: 'gpc', before: false, after: true }], scripts: [] } },
  },
  discardDraft: { response: { live: 3, values: { settings: [], scripts: [] } } },
  activateDeployment: { response: { ...deployment, number: 4, activates: 3 } },
  createHook: {
    body: { url: hook.url },
    response: { ...hook, secret: 'whsec_S2VlcCB0aGlzIHdoZXJlIG5vYm9keSBsb29rcw' },
  },
  listHooks: { response: { hooks: [{ ...hook, kind: 'deploy', createdAt }] } },
  deleteHook: { response: { hookId } },
} satisfies OperationExamples
