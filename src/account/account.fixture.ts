import { randomBytes } from 'node:crypto'
import type { EnvironmentName } from '#contract/me.ts'
import type { AuditRecord, SealingKeyPair, Store, StoreChange, TeamRecord, TokenRecord } from '#store/store.ts'
import { type TurnedClock, turnedClock } from '../../test/fake/clock.ts'
import { type Keyring, openKeyring } from './keyring.ts'

type FixtureStore = Pick<Store, 'write' | 'team' | 'teams' | 'token' | 'tokenById' | 'sealingKeys' | 'setting'>
export type AccountFixture = {
  environment: EnvironmentName
  clock: TurnedClock
  keys: Keyring
  store: FixtureStore
  audit: AuditRecord[]
}

/** Dependencies of accounts with an in-memory store. The real stores are tested in store/. */
export function createAccountFixture(
  environment: EnvironmentName = 'production',
  rootKey: Uint8Array = randomBytes(32),
): AccountFixture {
  const teams = new Map<string, TeamRecord>()
  const tokens = new Map<string, TokenRecord>()
  const pairs = new Map<string, SealingKeyPair>()
  const settings = new Map<string, string>()
  const audit: AuditRecord[] = []
  const apply = (change: StoreChange) => {
    if ('revoke' in change) tokens.set(change.tokenId, { ...tokens.get(change.tokenId)!, revokedAt: change.at })
    else if ('put' in change && change.put === 'sealingKey') pairs.set(change.row.kid, change.row)
    else if ('put' in change && change.put === 'setting') settings.set(change.name, change.value)
    else if ('put' in change && change.put === 'teamKey')
      teams.set(change.teamId, { ...teams.get(change.teamId)!, sealedKey: change.sealedKey })
    else if ('drop' in change && change.drop === 'sealingKey') pairs.delete(change.kid)
    else if ('add' in change && change.add === 'team') teams.set(change.row.teamId, change.row)
    else if ('add' in change && change.add === 'token') tokens.set(change.row.tokenId, change.row)
    else if ('add' in change && change.add === 'audit') audit.push(change.row)
    else throw new Error(`The fixture does not support this change: ${JSON.stringify(change)}`)
  }
  const store: FixtureStore = {
    write: async (changes) => changes.forEach(apply),
    team: async (teamId) => teams.get(teamId),
    teams: async () => [...teams.values()],
    token: async (hash) => [...tokens.values()].find((token) => Buffer.compare(token.hash, hash) === 0),
    tokenById: async (tokenId) => tokens.get(tokenId),
    sealingKeys: async () => [...pairs.values()],
    setting: async (name) => settings.get(name),
  }
  return { environment, clock: turnedClock(), keys: openKeyring(rootKey, environment), store, audit }
}

/** Resolves with the fault that a call rejects with. */
export const faultOf = (
  call: Promise<unknown>,
): Promise<{ fault: string; message: string; headers: object; attributes?: object }> =>
  call.then(
    (value) => Promise.reject(new Error(`no fault: ${JSON.stringify(value)}`)),
    (error) => error,
  )
