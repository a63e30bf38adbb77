import { customerIdOf } from '#contract/customerId.ts'
import type { StoredResponse, UserDataResponse, UserKeysResponse } from '#contract/edgeResponses.ts'
import type { TagEvent } from '#contract/event.ts'
import { badRequest } from '#contract/fault.ts'
import { standardKeys } from '#contract/standardKeys.ts'
import { customerIdWarning } from '#event/eventWarnings.ts'
import { findNamedUser } from '#user/customer.ts'
import type { Profile } from '#user/profile.ts'
import { parseUserData, parseUserKey } from '#user/userUpdate.ts'
import type { EdgeCall } from './edge.ts'
import { identifyRequestCaller } from './identifyUser.ts'
import { postUserUpdate } from './userUpdate.ts'

/** `POST /user`: stores one key of the user; null deletes it. Throws badRequest. */
export async function postUser(call: EdgeCall, body: Buffer): Promise<string> {
  return store(call, parseUserKey(body))
}

/** `POST /data`: stores several keys of the user; null deletes a key. Throws badRequest. */
export async function postData(call: EdgeCall, body: Buffer): Promise<string> {
  return store(call, parseUserData(body))
}

/** A call without a user id is ignored: there is no user to store the keys for. */
async function store(call: EdgeCall, fields: Record<string, unknown>): Promise<string> {
  const caller = identifyRequestCaller(call)
  if (!caller.hasExplicitUserId) return JSON.stringify({ result: { status: 'ignored' } } satisfies StoredResponse)
  const isNew = await postUserUpdate(call, caller, 'user', fields)
  const { userId } = caller
  const warning = customerIdWarning(fields as TagEvent, true)
  const result = { status: isNew ? 'accepted' : 'duplicate', userId, ...(warning && { warnings: [warning] }) } as const
  return JSON.stringify({ result } satisfies StoredResponse)
}

/** `GET /data?keys=a,b`: for a standard key whether it is stored, for a custom key the value. Throws badRequest. */
export async function getData(call: EdgeCall): Promise<string> {
  const names = new URLSearchParams(call.query).get('keys')?.split(',') ?? []
  const keys = names.map((name) => name.trim()).filter(Boolean)
  if (keys.length === 0) throw badRequest({ path: 'keys', message: 'is required: write names separated by commas' })
  const profile = await ownProfile(call)
  const visible = keys.map((key) => [key, visibleValue(key, profile)]).filter(([, value]) => value !== undefined)
  return JSON.stringify({ result: Object.fromEntries(visible) } satisfies UserDataResponse)
}

const standard: ReadonlySet<string> = new Set(standardKeys)

const visibleValue = (key: string, profile: Profile | undefined): unknown => {
  if (standard.has(key)) return Object.hasOwn(profile?.keys ?? {}, key)
  return profile && Object.hasOwn(profile.custom, key) ? profile.custom[key] : undefined
}

/** `GET /keys`: the names of all stored keys. */
export async function getKeys(call: EdgeCall): Promise<string> {
  const { keys = {}, custom = {} } = (await ownProfile(call)) ?? {}
  return JSON.stringify({ result: [...Object.keys(keys), ...Object.keys(custom)] } satisfies UserKeysResponse)
}

/**
 * The profile of the user id that the call sends. An untrusted call never finds a profile by e-mail or customer id. A
 * trusted call without an id can send `?userCustomerId=` or `?userEmail=` and gets the user with that customer id or
 * e-mail.
 */
async function ownProfile(call: EdgeCall): Promise<Profile | undefined> {
  const { edge, tag, query, trusted } = call
  const { clock, keys, profiles } = edge.deps
  const caller = identifyRequestCaller(call)
  if (caller.hasExplicitUserId) return profiles.get({ tag, userId: caller.userId })
  if (!trusted) return undefined
  const asked = new URLSearchParams(query)
  const names = { customerId: customerIdOf(asked.get('userCustomerId')), email: asked.get('userEmail') || undefined }
  return (await findNamedUser(tag, names, clock.now(), { keys, profiles }))?.profile
}
