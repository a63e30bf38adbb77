/**
 * A user of one tag. `sealed` contains keys, captures and consent, sealed with the team's key. It is empty for an
 * erased user, whose row stores only the time of the erasure (`seenAt`). The row is dropped once no older event can
 * arrive.
 */
export type StoredUser = {
  tagId: string
  userId: string
  sealed: Uint8Array
  seenAt: number
  /** Increases by one with each write. */
  version: number
}

/** A user's consent: never asked, agrees to everything, or refuses something. */
export type OverallConsent = 'unasked' | 'agrees' | 'refuses'

/** The lookup keys of a user. E-mails and custom values are keyed fingerprints. */
export type UserLookupKeys = {
  /** E-mails in calls with this user's id. They are claims, which anyone can make. */
  claims?: readonly Uint8Array[]
  /** E-mails that a trusted call set for this user. */
  confirmed?: readonly Uint8Array[]
  /** The user's consent, which decides which claims of an e-mail are dropped first. */
  overallConsent?: OverallConsent
  /** All custom values of the user; absent to keep the earlier ones. */
  customs?: readonly Uint8Array[]
  /** Removes the earlier e-mails of the user. */
  isUnnamed?: boolean
}

/** The users of an e-mail. */
export type EmailUsers = {
  /** The first user for whom a trusted call set the e-mail. */
  confirmed?: string
  /** The users who claim it, most recently seen first; empty if it is crowded. */
  claimants: readonly string[]
  /** More than `maxClaims` of its claimants refused something, so not all refusals could be stored. */
  isCrowded: boolean
}

/**
 * The maximum number of claims of an e-mail by users who refuse something, and of claims by other users. Above it, the
 * least recently seen of the other users is dropped, users who were never asked first, so that no refusal is lost. If
 * more users refuse, the e-mail is crowded while users continue to claim it, and no claim is stored.
 */
export const maxClaims = 16

/**
 * A write of a user. Earlier lookup keys are kept, unless `lookupKeys` changes them. `basedOn`: the version that the
 * write is based on, 0 if the user is not stored; absent to replace any version.
 */
export type UserWrite = { user: Omit<StoredUser, 'version'>; lookupKeys?: UserLookupKeys; basedOn?: number }

export type UserStore = {
  /**
   * Users of tags in different groups are written independently, so a write should have users of one group. Absent: one
   * group.
   */
  groupOf?(tagId: string): number
  /** The stored ones of these users, by id. */
  getMany(tagId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, StoredUser>>
  get(tagId: string, userId: string): Promise<StoredUser | undefined>
  byEmail(tagId: string, email: Uint8Array): Promise<EmailUsers>
  /** The users of each e-mail, in the order of the e-mails. */
  byEmails(tagId: string, emails: readonly Uint8Array[]): Promise<EmailUsers[]>
  /** At most `limit` users with this custom value (a keyed fingerprint of key and value), in order of their ids. */
  byCustom(tagId: string, custom: Uint8Array, limit: number): Promise<string[]>
  /**
   * Writes users, in order, each atomically (compare-and-set). Resolves to one boolean for each: false if the stored
   * version is not the one that the write is based on; then nothing of that write is stored. If this rejects, some
   * writes may be stored.
   */
  put(writes: readonly UserWrite[]): Promise<boolean[]>
  /** The next tag that has users, in an order of the store. A pass begins with `''`, which comes before all tags. */
  nextTag(after: string): Promise<string | undefined>
  /**
   * At most `limit` users of a tag who were last seen before `seenBefore`, or erased before `erasedBefore`, as they were
   * when the pass began or later.
   */
  unseen(
    tagId: string,
    before: { seenBefore: number; erasedBefore: number },
    limit: number,
  ): Promise<Omit<StoredUser, 'sealed' | 'version'>[]>
  /** At most `limit` users of a tag with ids after this one, in the order of the store. `''` comes before all users. */
  usersAfter(tagId: string, after: string, limit: number): Promise<StoredUser[]>
  /** Ends the crowding of e-mails that were last claimed before `seenBefore`. */
  deleteCrowded(seenBefore: number): Promise<void>
}
