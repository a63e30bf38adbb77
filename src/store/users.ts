/**
 * A person known to one tag. `sealed` holds keys, captures and consent under the team's key. It is empty once the user has
 * been erased: the row then tells only until when (`seenAt`), and is dropped when nothing older can come any more.
 */
export type UserRecord = { tagId: string; userId: string; sealed: Uint8Array; seenAt: number }

/** What a user has agreed to: nothing was said, `all` without an exception, or something is refused. */
export type Stance = 'unasked' | 'agrees' | 'refuses'

/** What leads to a user. E-mails and custom values are keyed fingerprints. */
export type UserSigns = {
  /** E-mails that calls under this user's id gave: claims, which anybody can make. */
  claims?: readonly Uint8Array[]
  /** E-mails that a trusted call gave for this user. */
  confirmed?: readonly Uint8Array[]
  /** How the user counts among those who claim its e-mails. */
  stance?: Stance
  /** All custom values that lead to the user; absent: as before. */
  customs?: readonly Uint8Array[]
  /** None of the e-mails from before lead to the user any more. */
  isUnnamed?: boolean
}

/** The users of an e-mail. */
export type EmailUsers = {
  /** The user that a trusted call gave it for first. */
  confirmed?: string
  /** Users who claim it, seen last first; empty where it is crowded. */
  claimants: readonly string[]
  /** More than `claimsKept` of those who claim it refused something: nobody knows what all of them refused. */
  isCrowded: boolean
}

/**
 * So many claims of an e-mail are kept of users who refuse something, and as many of the others. Of the others the one that
 * was seen longest ago goes, those first who were not asked: nothing that was refused is lost by it. Where those who refuse
 * are more, the e-mail is crowded for as long as anybody goes on claiming it, and none of their claims is kept.
 */
export const claimsKept = 16

export type Users = {
  get(tagId: string, userId: string): Promise<UserRecord | undefined>
  byEmail(tagId: string, email: Uint8Array): Promise<EmailUsers>
  /** Some of the users who have this custom value (a keyed fingerprint of key and value), oldest first. */
  byCustom(tagId: string, custom: Uint8Array, limit: number): Promise<string[]>
  /** Keeps a user. What led to the user before does so still, except as `signs` says. */
  put(user: UserRecord, signs?: UserSigns): Promise<void>
  /** Some of the users who were not seen since `seenBefore`, and of those erased before `erasedBefore`. */
  unseen(before: { seenBefore: number; erasedBefore: number }, limit: number): Promise<Omit<UserRecord, 'sealed'>[]>
  /** E-mails that were crowded and that nobody has claimed since are so no more. */
  uncrowd(seenBefore: number): Promise<void>
}
