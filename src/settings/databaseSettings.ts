import { parseNumber, type SettingSpec } from './settingSpec.ts'

/** The settings of a database that several processes share. */
export type DatabaseSettings = {
  /** without it, the data are files in the data directory */
  databaseUrl?: string
  /** the databases of the event shards, if there are several */
  streamUrl?: readonly string[]
  /** by tag id: the number of slots over which the tag's new events are spread */
  tagSpread?: ReadonlyMap<string, number>
  /** the number of standbys that must confirm each commit */
  syncStandbys: number
  /** the previous root key, while a shared database is changed to a new one */
  rootKeyBefore?: string
}

export const defaultDatabaseSettings: DatabaseSettings = { syncStandbys: 1 }

/** The missing settings that others require, as a sentence. Undefined if none is missing. */
export function findSettingsConflict(given: Partial<DatabaseSettings> & { rootKey?: string }): string | undefined {
  const { databaseUrl, rootKey, rootKeyBefore, streamUrl, tagSpread } = given
  if (databaseUrl !== undefined)
    return rootKey === undefined
      ? 'AGLET_DATABASE_URL is set: set AGLET_ROOT_KEY too, the same for every process.'
      : undefined
  if (rootKeyBefore !== undefined)
    return 'AGLET_ROOT_KEY_BEFORE requires AGLET_DATABASE_URL. Without a database, use aglet key rotate --what root.'
  if (tagSpread !== undefined)
    return 'AGLET_TAG_SPREAD is set: set AGLET_DATABASE_URL too. Without a database, one process delivers all events.'
  return streamUrl === undefined
    ? undefined
    : 'AGLET_STREAM_URL is set: set AGLET_DATABASE_URL too, the database of everything except events.'
}

/** The maximum number of slots for the events of one tag. */
const maxSpread = 16

const isDatabaseUrl = (text: string) => /^postgres(ql)?:\/\/[^/?#]+\/[^/?#]/.test(text)

function readDatabaseUrls(value: string): readonly string[] | undefined {
  const urls = value.split(' ').filter((text) => text !== '')
  return urls.length > 0 && urls.every(isDatabaseUrl) ? urls : undefined
}

/** Undefined unless each word is a tag id with a number of slots, and no tag occurs twice. */
function readTagSpread(value: string): ReadonlyMap<string, number> | undefined {
  const words = value.split(' ').filter((word) => word !== '')
  const parts = words.map((word) => /^([\w-]{1,100})=(\d{1,2})$/.exec(word))
  const spread = new Map<string, number>()
  for (const part of parts) {
    const count = Number(part?.[2])
    if (!part || count < 1 || count > maxSpread || spread.has(part[1]!)) return undefined
    spread.set(part[1]!, count)
  }
  return spread.size > 0 ? spread : undefined
}

/** The settings of the database, in the order of the help text. */
export const databaseSettingSpecs = {
  databaseUrl: {
    takes: 'postgres://user@host1,host2/name',
    help: 'a PostgreSQL database that several processes share, instead of files of the data directory',
    read: (value) => (isDatabaseUrl(value) ? value : undefined),
    isHidden: true,
  },
  syncStandbys: {
    takes: 'a number from 0 to 9',
    help: 'standbys that must confirm each commit of the database (1)',
    read: (value) => parseNumber(value, 0, 9),
  },
  rootKeyBefore: {
    takes: '32 bytes in base64url or hex',
    help: 'the previous root key, while all processes of a database change to another one',
    read: (value) => value,
    isHidden: true,
  },
  streamUrl: {
    takes:
      'one or more postgres://user@host1,host2/name, with spaces between them; events are kept in PostgreSQL, not in NATS',
    help: 'PostgreSQL databases of the events of tags; the list may only be appended to',
    read: readDatabaseUrls,
    isHidden: true,
  },
  tagSpread: {
    takes: `TAG_ID=NUMBER from 1 to ${maxSpread}, several with spaces between them, each tag once`,
    help: 'tags that several workers deliver, and the number of slots of each',
    read: readTagSpread,
  },
} as const satisfies Record<string, SettingSpec>
