import { parseNumber, type SettingSpec } from './settingSpec.ts'

/** The settings of a database that several processes share. */
export type DatabaseSettings = {
  /** without it the data are files of the data directory */
  databaseUrl?: string
  /** the standbys that must confirm each commit */
  syncStandbys: number
  /** the root key of before, while a shared database changes to another one */
  rootKeyBefore?: string
}

export const defaultDatabaseSettings: DatabaseSettings = { syncStandbys: 1 }

/** The settings of the database, in the order of the help text. */
export const databaseSettingSpecs = {
  databaseUrl: {
    takes: 'postgres://user@host1,host2/name',
    help: 'a PostgreSQL database that several processes share, instead of files of the data directory',
    read: (value) => (/^postgres(ql)?:\/\/[^/?#]+\/[^/?#]/.test(value) ? value : undefined),
    isHidden: true,
  },
  syncStandbys: {
    takes: 'a number from 0 to 9',
    help: 'standbys that must confirm each commit of the database (1)',
    read: (value) => parseNumber(value, 0, 9),
  },
  rootKeyBefore: {
    takes: '32 bytes in base64url or hex',
    help: 'the root key of before, while all processes of a database change to another one',
    read: (value) => value,
    isHidden: true,
  },
  streamUrl: {
    takes: 'nothing: this build keeps events in the database of AGLET_DATABASE_URL, and not in NATS or other databases',
    help: 'not supported by this build',
    read: () => undefined,
    isHidden: true,
  },
} as const satisfies Record<string, SettingSpec>
