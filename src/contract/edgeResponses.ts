import type { ConsentMap } from './event.ts'
import { type Static, Type } from './schema.ts'
import { consentCategories, ValueMode } from './script.ts'

/** What the SDK does before consent. `all`: stores and sends. `memory`: holds calls in the page. `none`: drops calls. */
export type CaptureBeforeConsent = 'all' | 'memory' | 'none'

/** The two consent maps, as in an event's `storage.<brand>`. An absent map restricts nothing. */
export type ConsentMaps = { consent?: ConsentMap; consentCategories?: ConsentMap }

const ConsentEntries = Type.Record(
  Type.String(),
  Type.Union([Type.Boolean(), Type.Record(Type.String(), Type.Boolean())]),
)
const ConsentMapsSchema = Type.Object({
  consent: Type.Optional(ConsentEntries),
  consentCategories: Type.Optional(ConsentEntries),
})

/** A value that a page captures for a channel. The key of a cookie may contain one `*`: `_ga_*`. */
export const BrowserCaptureRule = Type.Object({
  type: Type.Enum(['query', 'storage']),
  key: Type.String(),
  persist: Type.Enum(['local', 'session', 'edge']),
  location: Type.Optional(Type.Enum(['cookie', 'local', 'session'])),
})
export type BrowserCaptureRule = Static<typeof BrowserCaptureRule>

/** A deployed channel as a page receives it. */
export const BrowserChannel = Type.Object({
  package: Type.String({ description: 'the provider id' }),
  category: Type.Enum([...consentCategories], { description: 'the consent category that it requires' }),
  variables: Type.Record(Type.String(), Type.String()),
  rules: Type.Object({ capture: Type.Array(BrowserCaptureRule) }),
  purchaseValueMode: ValueMode,
  inPage: Type.Optional(Type.Literal(true, { description: 'the SDK has a module for the provider' })),
  refused: Type.Optional(
    Type.Literal(true, {
      description: 'it must not run in the page: the browser sends Sec-GPC, and the tag respects it',
    }),
  ),
})
export type BrowserChannel = Static<typeof BrowserChannel>

/** The response of `GET {tag_url}/init`. `consent`: the user's stored consent, null if there is none. */
export const InitResponse = Type.Object({
  result: Type.Array(BrowserChannel),
  userId: Type.String(),
  isNewUser: Type.Boolean(),
  session: Type.Object({ sessionId: Type.String(), isNewSession: Type.Boolean() }),
  consent: Type.Union([ConsentMapsSchema, Type.Null()]),
})
export type InitResponse = Static<typeof InitResponse>

/** The response of `GET {tag_url}/load?settings=true`. */
export type TagSettingsResponse = { captureBeforeConsent: CaptureBeforeConsent }

/** The response of `POST /user`, `/data` and `/consent`. */
export const StoredResponse = Type.Object({
  result: Type.Object({
    status: Type.Enum(['accepted', 'duplicate', 'ignored'], {
      description: '`ignored`: no user was named, so nothing was stored',
    }),
    userId: Type.Optional(Type.String()),
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'accepted, but probably a mistake' })),
  }),
})
export type StoredResponse = Static<typeof StoredResponse>

/** The response of `GET /data`. */
export const UserDataResponse = Type.Object({
  result: Type.Record(Type.String(), Type.Unknown(), {
    description: 'for a standard key whether it is known, for a custom key its value',
  }),
})
export type UserDataResponse = Static<typeof UserDataResponse>

/** The response of `GET /keys`: the names of all known keys. */
export const UserKeysResponse = Type.Object({ result: Type.Array(Type.String()) })
export type UserKeysResponse = Static<typeof UserKeysResponse>
