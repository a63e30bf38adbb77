import type { DataRead, KeysRead, Stored } from '#contract/edge.ts'
import { badRequest } from '#contract/fault.ts'
import { check, Type } from '#contract/schema.ts'
import { standardKeys } from '#contract/user.ts'
import type { Profile } from '#user/profile.ts'
import type { Call } from './edge.ts'
import { nameCaller } from './people.ts'
import { keepSaid, readSaid, saying } from './said.ts'

const Key = Type.String({ minLength: 1, maxLength: 500 })
const Value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.Unknown()),
  Type.Record(Type.String(), Type.Unknown()),
  // nobody knows it any more
  Type.Null(),
])
const checkUser = check(Type.Object({ key: Key, value: Value }))
const checkData = check(Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) }))

/** `POST /user`: stores one key of the user. Throws badRequest. */
export function takeUser(call: Call, body: Buffer): Promise<string> {
  const said = readSaid(body)
  const issues = checkUser(said)
  if (issues.length > 0) throw badRequest(...issues)
  const { key, value, ...more } = said
  return store(call, { ...more, data: { [key as string]: value } })
}

/** `POST /data`: stores several keys of the user. Throws badRequest. */
export function takeData(call: Call, body: Buffer): Promise<string> {
  const said = readSaid(body)
  const issues = checkData(said)
  if (issues.length > 0) throw badRequest(...issues)
  return store(call, said)
}

/** Without an id there is nobody to store it of. */
async function store(call: Call, said: Record<string, unknown>): Promise<string> {
  const named = nameCaller(call)
  if (!named.presented) return JSON.stringify({ result: { status: 'ignored' } } satisfies Stored)
  const isFresh = await keepSaid(call, named, 'user', saying('user', said, call.edge.on.clock.now()))
  const { userId } = named
  return JSON.stringify({ result: { status: isFresh ? 'accepted' : 'duplicate', userId } } satisfies Stored)
}

/** `GET /data?keys=a,b`: of a standard key only whether it is known, of a custom key its value. Throws badRequest. */
export async function readData(call: Call): Promise<string> {
  const keys = new URLSearchParams(call.query).get('keys')?.split(',') ?? []
  const asked = keys.map((key) => key.trim()).filter(Boolean)
  if (asked.length === 0) throw badRequest({ path: 'keys', message: 'is required: names, divided by commas' })
  const profile = await ownProfile(call)
  const shown = asked.map((key) => [key, shownOf(key, profile)]).filter(([, value]) => value !== undefined)
  return JSON.stringify({ result: Object.fromEntries(shown) } satisfies DataRead)
}

const standard: ReadonlySet<string> = new Set(standardKeys)

const shownOf = (key: string, profile: Profile | undefined): unknown => {
  if (standard.has(key)) return Object.hasOwn(profile?.keys ?? {}, key)
  return profile && Object.hasOwn(profile.custom, key) ? profile.custom[key] : undefined
}

/** `GET /keys`: the names of all that is known. */
export async function readKeys(call: Call): Promise<string> {
  const { keys = {}, custom = {} } = (await ownProfile(call)) ?? {}
  return JSON.stringify({ result: [...Object.keys(keys), ...Object.keys(custom)] } satisfies KeysRead)
}

/**
 * What came under the id that the call presents, and nothing else: an e-mail never leads a caller to somebody. Only one that
 * is trusted may ask by it, where it presents no id, and is told of the user that a trusted call gave the e-mail for.
 */
async function ownProfile(call: Call): Promise<Profile | undefined> {
  const { edge, tag, query, trusted } = call
  const { people } = edge.on
  const named = nameCaller(call)
  if (named.presented) return people.get({ tag, userId: named.userId })
  const email = trusted ? new URLSearchParams(query).get('userEmail') : null
  return email ? (await people.ownerOf(tag, people.emailKey(tag, email)))?.profile : undefined
}
