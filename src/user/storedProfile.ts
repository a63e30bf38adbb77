import type { Keyring } from '#account/keyring.ts'
import { overallConsentOf } from '#consent/consent.ts'
import type { Log } from '#kit/log.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { StoredUser, UserWrite } from '#store/users.ts'
import { hasCustom, searchableValues } from './customData.ts'
import { type EmailKey, lookupKeys, type Profile } from './profile.ts'

/** A user of a tag. */
export type UserRef = { tag: Pick<Snapshot, 'tagId' | 'teamId'>; userId: string }

/**
 * The stored data of a user. `erasedAt` (epoch ms): all data received until then has been erased. `version`: of the
 * stored row, 0 if there is none.
 */
export type FoundProfile = { profile?: Profile; erasedAt?: number; version: number }

export const keyOf = ({ tag, userId }: UserRef) => `${tag.tagId}/${userId}`

/** Stores the time of the user's erasure in the profile. */
export const withErasure = (profile: Profile, erasedAt: number | undefined): Profile =>
  erasedAt === undefined ? profile : { ...profile, erasedAt }

export const toFoundProfile = (profile: Profile, version: number): FoundProfile =>
  profile.erasedAt === undefined ? { profile, version } : { profile, version, erasedAt: profile.erasedAt }

/** Stores the keys in `trustedCustom` as indexes, because the names of custom keys are long. */
const toSealed = ({ trustedCustom, ...profile }: Profile): string => {
  const names = new Map(Object.keys(profile.custom).map((name, at) => [name, at]))
  return JSON.stringify({
    ...profile,
    ...(trustedCustom && { trustedCustom: trustedCustom.map((name) => names.get(name)) }),
  })
}

function fromSealed(text: string): Profile {
  const profile = JSON.parse(text) as Omit<Profile, 'trustedCustom'> & { trustedCustom?: readonly number[] }
  const { trustedCustom, ...rest } = profile
  const names = Object.keys(profile.custom)
  return { ...rest, ...(trustedCustom && { trustedCustom: trustedCustom.map((at) => names[at]!) }) }
}

/**
 * A profile that cannot be decrypted is logged and ignored, so that events still flow. An empty row is an erasure mark.
 */
export function openRow(
  user: UserRef,
  row: StoredUser | undefined,
  { keys, log }: { keys: Keyring; log: Log },
): FoundProfile {
  if (!row) return { version: 0 }
  const { sealed, seenAt, version } = row
  if (sealed.length === 0) return { erasedAt: seenAt, version }
  const { tag } = user
  try {
    return toFoundProfile(fromSealed(keys.team(tag.teamId).openUser(sealed, keyOf(user)).toString()), version)
  } catch (error) {
    log({
      level: 'error',
      message: 'a user profile cannot be decrypted and is ignored',
      tagId: tag.tagId,
      error,
    })
    return { version }
  }
}

/** A fingerprint in its stored form. */
export const fingerprintBytes = (key: EmailKey): Uint8Array => new Uint8Array(Buffer.from(key, 'hex'))

/**
 * The changes of a profile write besides the row. `isUnnamed`: the user can no longer be found by its stored e-mails,
 * except for those in the profile.
 */
export type ProfileChanges = { isUnnamed: boolean; hasNewCustom: boolean }

/** The write of a profile, including the lookup keys of its user. */
export function profileWrite(
  user: UserRef,
  profile: Profile,
  { isUnnamed, hasNewCustom }: ProfileChanges,
  keys: Keyring,
): UserWrite {
  const { tagId, teamId } = user.tag
  const team = keys.team(teamId)
  const sealed = team.sealUser(Buffer.from(toSealed(profile)), keyOf(user))
  return {
    user: { tagId, userId: user.userId, sealed, seenAt: profile.seenAt },
    lookupKeys: {
      claims: lookupKeys(profile, 'claims').map(fingerprintBytes),
      confirmed: lookupKeys(profile, 'confirmed').map(fingerprintBytes),
      overallConsent: overallConsentOf(profile.consent),
      isUnnamed,
      ...(hasNewCustom && {
        customs: searchableValues(profile)
          .flatMap(([name, text]) => [
            team.customFingerprint(tagId, name, text),
            ...(hasCustom(profile, name, text, true) ? [team.customFingerprint(tagId, name, text, true)] : []),
          ])
          .map(fingerprintBytes),
      }),
    },
  }
}
