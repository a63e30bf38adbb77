import { adapterNames } from './adapterNames.ts'
import { type Operation, pageQuery } from './operation.ts'
import { pluginIds } from './pluginIds.ts'
import { NotLive, revisionFields } from './revision.ts'
import { Name, Nullable, OptionalText, OptionalTime, type Static, Type } from './schema.ts'
import { patterns } from './schemaPatterns.ts'
import { Shop, ShopWrite } from './shop.ts'
import { shopNames } from './shopNames.ts'
import { sourceNames } from './sourceNames.ts'
import { TcfSettings } from './tcfSettings.ts'

const hostForm = {
  format: 'hostname',
  pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$',
}

/** `example.com`: the tag's cookie domain and default origins derive from it. A loopback name is for development. */
const Domain = Type.String({ minLength: 1, maxLength: 253, pattern: patterns.domain, documented: hostForm })
const Consent = Type.Enum(['enabled', 'disabled'])
const SameSite = Type.Enum(['Lax', 'Strict', 'None'])
const ServerToken = Type.Enum(['optional', 'required'])
const Hold = Type.Union([Type.Literal('off'), Type.Integer({ minimum: 1, maximum: 30 })], {
  description: 'how many minutes an event waits for a missing consent',
})
const CaptureBeforeConsent = Type.Enum(['all', 'memory', 'none'], {
  description:
    'what the browser SDK does before a consent: `all` stores and sends, `memory` holds calls in the page, `none` drops them; without meaning where consent is disabled',
})
const SaleOptOut = Type.Enum(['refuse', 'limitedUse'], {
  description:
    'what a GPP string does that objects to nothing but the sale of data: `refuse` advertising and identifying values; `limitedUse` sends to vendors that have a limited use of data, with their flag for it, and refuses the others',
})
export type SaleOptOut = Static<typeof SaleOptOut>
const DefaultCountry = Type.Union([Type.Literal('none'), Type.String({ pattern: patterns.country })], {
  description:
    'ISO 3166-1 code of the country of phone numbers that are sent without country code, if neither the person nor the event names a country; `none`: that of the location',
})
const originForm = { format: 'uri', pattern: '^https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{1,3})?$' }
const Origin = Type.String({ maxLength: 300, pattern: patterns.origin, documented: originForm })
const Version = Type.String({
  maxLength: 100,
  description: '`latest`, or a version that GET /manifest lists',
  documented: { pattern: '^(latest|[0-9]+\\.[0-9]+\\.[0-9]+)$' },
})
const Sources = Type.Array(Type.Enum([...sourceNames]), {
  maxItems: sourceNames.length,
  description: 'the protocols of other products that the tag URL also speaks; none by default',
})
const Adapters = Type.Array(Type.Enum([...adapterNames]), {
  maxItems: adapterNames.length,
  description: 'the adapters that pages load with the SDK: each reads the calls to another tool; none by default',
})
const PrimaryAdapter = Type.Enum([...adapterNames, 'none'], {
  description: 'the adapter whose events are sent if a page has several; the others only pass event ids',
})
const PassEventId = Type.Boolean({
  description:
    'whether adapters add an event id to calls that have none, so that the pixel of the vendor and the server are counted once; true by default',
})
export const TagPlugin = Type.Object({
  plugin: Type.String({ documented: { enum: [...pluginIds] } }),
  settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type TagPlugin = Static<typeof TagPlugin>

/** The plugins' stored history of a user: the eventId of the first purchase. */
export const History = Type.Object({ firstPurchase: Type.Optional(Type.String()) })
export type History = Static<typeof History>

const settings = {
  hosts: Nullable(
    Type.Array(Domain, {
      maxItems: 20,
      description: 'host names of the customer that point to this server; served once DNS proves their ownership',
    }),
  ),
  allowedOrigins: Nullable(Type.Array(Origin, { maxItems: 100 })),
  consent: Nullable(Consent),
  gpc: Nullable(Type.Boolean()),
  tcf: Nullable(TcfSettings),
  saleOptOut: Nullable(SaleOptOut),
  sameSite: Nullable(SameSite),
  serverToken: Nullable(ServerToken),
  hold: Nullable(Hold),
  captureBeforeConsent: Nullable(CaptureBeforeConsent),
  defaultCountry: Nullable(DefaultCountry),
  sources: Nullable(Sources),
  adapters: Nullable(Adapters),
  primaryAdapter: Nullable(PrimaryAdapter),
  passEventId: Nullable(PassEventId),
  sdkVersion: Nullable(Version),
  edgeVersion: Nullable(Version),
  plugins: Nullable(
    Type.Array(TagPlugin, {
      maxItems: 20,
      description: 'the plugins that process an event before the channels, in this order',
    }),
  ),
}
export const TagWrite = Type.Object({ name: Name, domain: Domain, ...settings })
export type TagWrite = Static<typeof TagWrite>
/** Absent fields stay unchanged. */
export const TagUpdate = Type.Object({ name: Nullable(Name), domain: Nullable(Domain), ...settings })
export type TagUpdate = Static<typeof TagUpdate>

/** The body of PUT /tag/{tagId}, the only operation that accepts shops: their secrets are sealed. */
const TagUpdateWithShops = Type.Object({
  ...TagUpdate.properties,
  shops: Nullable(
    Type.Array(ShopWrite, {
      maxItems: shopNames.length,
      description:
        'all shops whose webhooks the tag accepts, one for each source; a shop that is not listed is removed',
    }),
  ),
})

/** Whether a host name is served, according to the last DNS lookup. */
const hostStates = ['unproved', 'missing', 'ready'] as const
export const HostState = Type.Object({
  host: Type.String(),
  state: Type.Enum([...hostStates], {
    description: '`unproved`: DNS has no proof for this tag; `missing`: the name has no record; `ready`: it is served',
  }),
  record: Type.String({ description: 'the DNS record that points it to this server' }),
  proof: Type.String({ description: 'the DNS record that proves its ownership' }),
  provedAt: OptionalTime('when the proof was last found in DNS, epoch ms'),
  endsAt: OptionalTime('when it is removed from the tag, or no longer served, unless the proof is found; epoch ms'),
})
export type HostState = Static<typeof HostState>

/** A website or app in GET /tag/{tagId}. */
export const Tag = Type.Object({
  tagId: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  tagUrl: Type.String({ format: 'uri' }),
  hosts: Type.Array(Type.String()),
  hostStates: Type.Optional(Type.Array(HostState, { description: 'absent in lists' })),
  allowedOrigins: Type.Array(Type.String()),
  consent: Consent,
  gpc: Type.Boolean(),
  tcf: Type.Optional(TcfSettings),
  saleOptOut: SaleOptOut,
  sameSite: SameSite,
  serverToken: ServerToken,
  hold: Hold,
  captureBeforeConsent: CaptureBeforeConsent,
  defaultCountry: OptionalText('absent: none'),
  sources: Sources,
  shops: Type.Optional(Type.Array(Shop, { description: 'absent: none' })),
  adapters: Adapters,
  primaryAdapter: OptionalText('absent: none'),
  passEventId: PassEventId,
  sdkVersion: Type.String(),
  edgeVersion: Type.String(),
  plugins: Type.Array(TagPlugin),
  createdAt: Type.String({ format: 'date' }),
  notLive: NotLive,
  ...revisionFields,
})
export type Tag = Static<typeof Tag>

export const tagOperations = {
  createTag: {
    method: 'POST',
    path: '/tag',
    summary: 'Creates a tag: one website or app with its own event endpoint',
    access: ['tag:write'],
    body: TagWrite,
    response: Tag,
    faults: ['nameTaken', 'tooManyTags'],
  },
  listTags: {
    method: 'GET',
    path: '/tag',
    summary: 'Lists the tags of the team',
    access: ['tag:read'],
    query: pageQuery,
    response: Type.Object({ tags: Type.Array(Tag), next: Type.Optional(Type.String()) }),
  },
  readTag: {
    method: 'GET',
    path: '/tag/{tagId}',
    summary: 'Reads a saved tag, and whether its host names are served',
    access: ['tag:read'],
    response: Tag,
    faults: ['tagUnknown'],
  },
  updateTag: {
    method: 'PUT',
    path: '/tag/{tagId}',
    summary: 'Replaces the given settings, keeps the others, and deploys',
    access: ['tag:write'],
    takesVersion: true,
    body: TagUpdateWithShops,
    response: Tag,
    faults: ['tagUnknown', 'nameTaken', 'hookFailed', 'secretRefused'],
  },
  deleteTag: {
    method: 'DELETE',
    path: '/tag/{tagId}',
    summary: 'Deletes a tag with its scripts, deployments and users, and removes it from the edge',
    access: ['tag:write'],
    takesVersion: true,
    response: Type.Object({ tagId: Type.String() }),
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
