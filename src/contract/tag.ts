import { type Operation, page } from './operation.ts'
import { Name, Nullable, type Static, Type } from './schema.ts'

/** `example.com`: what the tag's cookie and default origins are derived from. A loopback name is for development. */
const Domain = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.-]+$' })
const Consent = Type.Enum(['enabled', 'disabled'])
const SameSite = Type.Enum(['Lax', 'Strict', 'None'])
const ServerToken = Type.Enum(['optional', 'required'])
const Hold = Type.Union([Type.Literal('off'), Type.Integer({ minimum: 1, maximum: 30 })], {
  description: 'for how many minutes an event waits for a consent that it lacks',
})
const Origin = Type.String({ maxLength: 300, pattern: '^https?://[^/]+$' })
const Version = Type.String({ maxLength: 100, description: '`latest`, or a version that GET /manifest lists' })
export const TagPlugin = Type.Object({
  plugin: Type.String(),
  settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type TagPlugin = Static<typeof TagPlugin>

/** What plugins remember of a person: the eventId of the purchase that was the first. */
export const History = Type.Object({ firstPurchase: Type.Optional(Type.String()) })
export type History = Static<typeof History>

const settings = {
  hosts: Nullable(
    Type.Array(Domain, {
      maxItems: 20,
      description: 'host names of the customer that lead to this server; served once DNS shows whose they are',
    }),
  ),
  allowedOrigins: Nullable(Type.Array(Origin, { maxItems: 100 })),
  consent: Nullable(Consent),
  gpc: Nullable(Type.Boolean()),
  sameSite: Nullable(SameSite),
  serverToken: Nullable(ServerToken),
  hold: Nullable(Hold),
  sdkVersion: Nullable(Version),
  edgeVersion: Nullable(Version),
  plugins: Nullable(
    Type.Array(TagPlugin, { maxItems: 20, description: 'what runs over an event before the channels, in this order' }),
  ),
}
export const TagWrite = Type.Object({ name: Name, domain: Domain, ...settings })
export type TagWrite = Static<typeof TagWrite>
/** What it leaves out stays as it is. */
export const TagUpdate = Type.Object({ name: Nullable(Name), domain: Nullable(Domain), ...settings })
export type TagUpdate = Static<typeof TagUpdate>

/** Whether a host name is served, as DNS had it when it was asked last. */
export const hostStates = ['unproved', 'missing', 'ready'] as const
export const HostState = Type.Object({
  host: Type.String(),
  state: Type.Enum([...hostStates], {
    description:
      '`unproved`: DNS does not show that it is of this tag; `missing`: the name has no record; `ready`: it is served',
  }),
  record: Type.String({ description: 'the DNS record that makes it lead here' }),
  proof: Type.String({ description: 'the DNS record that shows that it is of this tag' }),
  provedAt: Type.Optional(Type.Number({ description: 'when DNS showed the proof last, epoch ms' })),
  endsAt: Type.Optional(
    Type.Number({ description: 'when it is taken off the tag, or no longer served, without the proof; epoch ms' }),
  ),
})
export type HostState = Static<typeof HostState>

/** A website or app as GET /tag/{tagId} shows it. */
export const Tag = Type.Object({
  tagId: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  tagUrl: Type.String(),
  hosts: Type.Array(Type.String()),
  hostStates: Type.Optional(Type.Array(HostState, { description: 'left out of lists' })),
  allowedOrigins: Type.Array(Type.String()),
  consent: Consent,
  gpc: Type.Boolean(),
  sameSite: SameSite,
  serverToken: ServerToken,
  hold: Hold,
  sdkVersion: Type.String(),
  edgeVersion: Type.String(),
  plugins: Type.Array(TagPlugin),
  createdAt: Type.String({ format: 'date' }),
})
export type Tag = Static<typeof Tag>
export const TagList = Type.Object({ tags: Type.Array(Tag), next: Type.Optional(Type.String()) })
export const TagDeleted = Type.Object({ tagId: Type.String() })

const tagId = Type.Object({ tagId: Type.String() })

export const tagRows = {
  createTag: {
    method: 'POST',
    path: '/tag',
    summary: 'Makes a tag: one website or app, with an event endpoint of its own',
    access: ['tag:write'],
    teamHeader: true,
    body: TagWrite,
    gives: Tag,
    faults: ['nameTaken', 'tooManyTags'],
  },
  listTags: {
    method: 'GET',
    path: '/tag',
    summary: 'The tags of the team',
    access: ['tag:read'],
    teamHeader: true,
    query: page,
    gives: TagList,
    faults: [],
  },
  readTag: {
    method: 'GET',
    path: '/tag/{tagId}',
    summary: 'A tag, as saved, and whether its host names are served',
    access: ['tag:read'],
    teamHeader: true,
    params: tagId,
    gives: Tag,
    faults: ['tagUnknown'],
  },
  updateTag: {
    method: 'PUT',
    path: '/tag/{tagId}',
    summary: 'Replaces the settings that it lists, keeps the others, and deploys',
    access: ['tag:write'],
    teamHeader: true,
    params: tagId,
    body: TagUpdate,
    gives: Tag,
    faults: ['tagUnknown', 'nameTaken', 'hookFailed'],
  },
  deleteTag: {
    method: 'DELETE',
    path: '/tag/{tagId}',
    summary: 'Deletes a tag with its scripts, deployments and users, and takes it off the edge',
    access: ['tag:write'],
    teamHeader: true,
    params: tagId,
    gives: TagDeleted,
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
