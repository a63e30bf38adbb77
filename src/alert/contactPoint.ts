import { randomBytes, randomInt } from 'node:crypto'
import type { Keyring } from '#account/keyring.ts'
import type { ContactPoint, ContactPointWrite } from '#contract/contactPoint.ts'
import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { badRequest } from '#contract/fault.ts'
import { newId } from '#kit/id.ts'
import { parseHookUrl } from '#script/hook.ts'
import type { ContactPointRecord } from '#store/incidents.ts'

/** These settings are stored sealed. `code`: confirms an address; `tries` counts wrong attempts. */
export type ContactSettings = {
  /** The address, or the host of the webhook. */
  target: string
  address?: string
  url?: string
  routingKey?: string
  /** Signs the messages of the kind `webhook`. */
  secret?: string
  isConfirmed: boolean
  /** The language of its messages. */
  language: DashboardLanguage
  code?: { text: string; until: number; tries: number }
}

const codeMs = 86_400_000
const maxTries = 5

const aadOf = ({ teamId, contactPointId }: Pick<ContactPointRecord, 'teamId' | 'contactPointId'>) =>
  JSON.stringify(['contactPoint', teamId, contactPointId])

type SealDeps = { keys: Pick<Keyring, 'team'> }

export const sealContact = (
  row: Omit<ContactPointRecord, 'sealed'>,
  settings: ContactSettings,
  { keys }: SealDeps,
): ContactPointRecord => ({
  ...row,
  sealed: keys.team(row.teamId).wrapKey(Buffer.from(JSON.stringify(settings)), aadOf(row)),
})

export const openContact = (row: ContactPointRecord, { keys }: SealDeps): ContactSettings =>
  JSON.parse(keys.team(row.teamId).unwrapKey(row.sealed, aadOf(row)).toString())

export function showContact(row: ContactPointRecord, deps: SealDeps): ContactPoint {
  const { target, isConfirmed, language } = openContact(row, deps)
  return { name: row.name, kind: row.kind, target, isConfirmed, language, createdAt: row.createdAt }
}

/** Throws badRequest unless the fields are those of the kind. */
function settingsOf({
  kind,
  address,
  url,
  routingKey,
}: ContactPointWrite): Omit<ContactSettings, 'isConfirmed' | 'language'> {
  const given = { address, url, routingKey }
  const own = kind === 'email' ? 'address' : kind === 'pagerDuty' ? 'routingKey' : 'url'
  for (const field of ['address', 'url', 'routingKey'] as const) {
    if (field === own && given[field] === undefined)
      throw badRequest({ path: field, message: `is required for ${kind}` })
    if (field !== own && given[field] !== undefined)
      throw badRequest({ path: field, message: `is not a setting of ${kind}` })
  }
  if (address !== undefined) return { target: address, address }
  if (routingKey !== undefined) return { target: 'events.pagerduty.com', routingKey }
  const href = parseHookUrl(url!)
  return { target: new URL(href).host, url: href }
}

/**
 * A new contact point, or one that replaces `previous`. Without a language it gets `language`, that of the call. An
 * e-mail address gets a new code unless it is already confirmed. A webhook keeps its secret as long as its address is
 * the same.
 */
export function newContactPoint(
  owner: { teamId: string; name: string },
  write: ContactPointWrite,
  previous: ContactPointRecord | undefined,
  { keys, now, language }: SealDeps & { now: number; language: DashboardLanguage },
): { row: ContactPointRecord; settings: ContactSettings; isNewSecret: boolean } {
  const settings = settingsOf(write)
  const old = previous?.kind === write.kind ? openContact(previous, { keys }) : undefined
  const row = {
    ...owner,
    contactPointId: previous?.contactPointId ?? newId('contact', now),
    kind: write.kind,
    createdAt: previous?.createdAt ?? now,
  }
  const made: ContactSettings = {
    ...settings,
    isConfirmed: true,
    language: write.language ?? old?.language ?? language,
  }
  if (write.kind === 'email') {
    made.isConfirmed = old !== undefined && old.address === settings.address && old.isConfirmed
    if (!made.isConfirmed) made.code = { text: `${randomInt(10 ** 8)}`.padStart(8, '0'), until: now + codeMs, tries: 0 }
  }
  const keptSecret = old?.url === settings.url ? old?.secret : undefined
  if (write.kind === 'webhook') made.secret = keptSecret ?? `whsec_${randomBytes(32).toString('base64')}`
  return { row: sealContact(row, made, { keys }), settings: made, isNewSecret: made.secret !== keptSecret }
}

/**
 * The settings after a code was entered: confirmed, or with one more wrong try. After five tries the code is invalid.
 */
export function enterCode(settings: ContactSettings, code: string, now: number): ContactSettings {
  const expected = settings.code
  if (settings.isConfirmed || !expected || expected.until <= now || expected.tries >= maxTries) return settings
  if (expected.text !== code) return { ...settings, code: { ...expected, tries: expected.tries + 1 } }
  const { code: _, ...confirmed } = settings
  return { ...confirmed, isConfirmed: true }
}
