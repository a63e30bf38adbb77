import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type {
  AccountChange,
  ApplicationRecord,
  DeviceRecord,
  InvitationRecord,
  OAuthArtifact,
  PersonRecord,
} from './accounts.ts'
import { at, baseChanges, type StoreLocation, team, token } from './store.fixture.ts'
import { opened } from './store.suite.ts'
import { Conflict, type Store } from './store.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const someone = (n: number): PersonRecord => ({
  personId: `per_${n}`,
  name: '',
  role: 'member',
  emailKey: bytes(`email ${n}`),
  sealed: bytes('sealed'),
  password: 'scrypt$x',
  createdAt: at + n,
})
const application = (n: number): ApplicationRecord => ({
  applicationId: `app_${n}`,
  teamId: 'team_1',
  name: `App ${n}`,
  redirectUris: ['https://a.example/cb'],
  scopes: ['tag:read'],
  secretHash: bytes(`secret ${n}`),
  createdAt: at + n,
})
const artifact = (key: string, more: Partial<OAuthArtifact> = {}): OAuthArtifact => ({
  kind: 'AccessToken',
  key: bytes(key),
  sealed: bytes('sealed'),
  expiresAt: at + 1_000,
  ...more,
})
const conflict = (unique: Conflict['unique']) => (error: unknown) =>
  error instanceof Conflict && error.unique === unique

/** The laws of every store for people, teams, applications and OAuth artifacts. */
export function accountLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('accounts', () => {
    const store = opened(createLocation)
    const write = (...changes: AccountChange[]) => store().write(changes.map((account) => ({ account })))
    const addPeople = (...numbers: number[]) =>
      store().write(numbers.map((n) => ({ add: 'person', row: someone(n) }) as const))
    before(async () => {
      await store().write([...baseChanges, { add: 'team', row: team(9) }])
      await addPeople(1, 2, 3)
    })
    personLaws(store, write, addPeople)
    invitationLaws(store, write)
    applicationLaws(store, write)
    artifactLaws(store, write)
  })
}

type Write = (...changes: AccountChange[]) => Promise<void>

function personLaws(store: () => Store, write: Write, addPeople: (...numbers: number[]) => Promise<void>): void {
  test('a person is found by id and by e-mail, and an e-mail is unique', async () => {
    assert.deepEqual(await store().accounts.person('per_1'), someone(1))
    assert.deepEqual(await store().accounts.personByEmail(bytes('email 2')), someone(2))
    assert.equal(await store().accounts.personByEmail(bytes('email 9')), undefined)
    await assert.rejects(
      write({ put: 'person', row: { ...someone(3), emailKey: bytes('email 1') } }),
      conflict('person.email'),
    )
    await addPeople(4)
    const { emailKey: _, sealed: __, password: ___, ...bare } = someone(4)
    await write({ put: 'person', row: bare })
    assert.deepEqual(await store().accounts.person('per_4'), bare, 'omitted fields are unset')
  })

  test('a member has one role in a team, and is not in the team after the drop', async () => {
    const row = { teamId: 'team_1', personId: 'per_1', role: 'viewer', createdAt: at } as const
    const other = { ...row, personId: 'per_2', createdAt: at - 1 } as const
    await write(
      { add: 'member', row },
      { add: 'member', row: other },
      { put: 'member', row: { ...row, role: 'owner' } },
    )
    assert.deepEqual(await store().accounts.members('team_1'), [other, { ...row, role: 'owner' }])
    assert.deepEqual(await store().accounts.memberships('per_1'), [{ ...row, role: 'owner' }])
    assert.equal(await store().accounts.member('team_9', 'per_1'), undefined)
    await write({ drop: 'member', teamId: 'team_1', personId: 'per_1' })
    assert.deepEqual(await store().accounts.members('team_1'), [other])
  })

  test('a person has at most one pending e-mail, found by its link, until it is dropped or expires', async () => {
    const row = { personId: 'per_1', sealed: bytes('new'), createdAt: at, expiresAt: at + 10 }
    const other = { ...row, personId: 'per_2', createdAt: at - 1, expiresAt: at + 20 }
    await write({ put: 'emailChange', row: { ...row, link: bytes('l1') } }, { put: 'emailChange', row: other })
    assert.deepEqual(await store().accounts.emailChangeOf(bytes('l1')), { ...row, link: bytes('l1') })
    await write({ put: 'emailChange', row })
    assert.equal(await store().accounts.emailChangeOf(bytes('l1')), undefined, 'a replaced one has no link')
    assert.deepEqual(await store().accounts.emailChange('per_1'), row)
    assert.deepEqual(await store().accounts.emailChanges(), [other, row])
    await write({ sweep: 'email_change', before: at + 11 })
    assert.deepEqual(await store().accounts.emailChanges(), [other])
    await write({ drop: 'emailChange', personId: 'per_2' })
    assert.deepEqual(await store().accounts.emailChanges(), [])
  })

  test('a session stores whether a link opened it', async () => {
    const row = { hash: bytes('linked'), personId: 'per_1', createdAt: at, expiresAt: at + 1, byLink: true } as const
    await write({ add: 'session', row })
    assert.deepEqual(await store().accounts.session(row.hash), row)
    await write({ drop: 'session', hash: row.hash })
  })

  test('a session is dropped unless the person still has a password', async () => {
    const row = { hash: bytes('by password'), personId: 'per_1', createdAt: at, expiresAt: at + 1 } as const
    const signIn = (password: string) =>
      write(
        { lock: 'person', personId: 'per_1' },
        { add: 'session', row },
        { drop: 'session', hash: row.hash, unless: { personId: 'per_1', password } },
      )
    await signIn('scrypt$old')
    assert.equal(await store().accounts.session(row.hash), undefined)
    await signIn(someone(1).password!)
    assert.deepEqual(await store().accounts.session(row.hash), row)
    assert.deepEqual(await store().accounts.person('per_1'), someone(1), 'the lock changes nothing')
    await write({ drop: 'session', hash: row.hash })
  })

  test('the devices of a person are listed by when they were seen, and the oldest are dropped beyond a number', async () => {
    const device = (deviceId: string, seenAt: number, personId = 'per_1'): DeviceRecord => ({
      ...{ deviceId, personId, createdAt: at, seenAt, expiresAt: seenAt + 1_000 },
      ...{ browser: 'Firefox', system: 'other' },
    })
    const ids = async (personId = 'per_1') =>
      (await store().accounts.devicesOf(personId)).map(({ deviceId }) => deviceId)
    const rows = [device('a', at + 1), device('b', at + 3), device('c', at + 2), device('other', at, 'per_2')]
    await write(...rows.map((row) => ({ add: 'device', row }) as const))
    assert.deepEqual(await store().accounts.device('b'), rows[1])
    assert.deepEqual(await ids(), ['b', 'c', 'a'])
    await write({ drop: 'oldDevices', personId: 'per_1', keep: 2 })
    assert.deepEqual([await ids(), await ids('per_2')], [['b', 'c'], ['other']])
    await write({ drop: 'device', personId: 'per_2', deviceId: 'b' })
    assert.deepEqual(await ids(), ['b', 'c'], 'nobody drops a device of another person')
    await write({ drop: 'device', personId: 'per_1', deviceId: 'b' }, { sweep: 'device', before: at + 1_001 })
    assert.deepEqual([await ids(), await ids('per_2')], [['c'], []])
    await write({ drop: 'devicesOf', personId: 'per_1' })
    assert.deepEqual(await ids(), [])
  })

  test('dropping the sessions of a person can keep one, and does not affect other people’s', async () => {
    const session = (hash: string, personId: string) =>
      ({ add: 'session', row: { hash: bytes(hash), personId, createdAt: at, expiresAt: at + 1 } }) as const
    const left = async () => {
      const found = await Promise.all(['a', 'b', 'c'].map((hash) => store().accounts.session(bytes(hash))))
      return found.map((each) => each?.personId)
    }
    await write(session('a', 'per_1'), session('b', 'per_1'), session('c', 'per_2'))
    const hashes = (await store().accounts.sessionsOf('per_1')).map(({ hash }) => Buffer.from(hash).toString())
    assert.deepEqual(hashes, ['a', 'b'])
    await write({ drop: 'sessionsOf', personId: 'per_1', but: bytes('a') })
    assert.deepEqual(await left(), ['per_1', undefined, 'per_2'])
    await write({ drop: 'sessionsOf', personId: 'per_1' })
    assert.deepEqual(await left(), [undefined, undefined, 'per_2'])
    await write({ sweep: 'session', before: at + 2 })
    assert.deepEqual(await left(), [undefined, undefined, undefined])
  })
}

function invitationLaws(store: () => Store, write: Write): void {
  test('an invitation is found by hash and by team until it is dropped', async () => {
    const row: InvitationRecord = {
      invitationId: 'inv_1',
      teamId: 'team_1',
      role: 'editor',
      hash: bytes('invitation'),
      by: 'operator',
      createdAt: at,
      expiresAt: at + 1,
    }
    await write({ add: 'invitation', row })
    assert.deepEqual(await store().accounts.invitation(row.hash), row)
    assert.deepEqual(await store().accounts.invitations('team_1'), [row])
    await write({ drop: 'invitation', invitationId: 'inv_1' })
    assert.equal(await store().accounts.invitation(row.hash), undefined)
    const backed = { ...row, personId: 'per_1', application: 'app_1' }
    await write({ add: 'invitation', row: backed })
    assert.deepEqual(await store().accounts.invitation(row.hash), backed, 'with its inviter')
  })

  test('a secret is used once, and nothing of the write of a second use is stored', async () => {
    const use = { use: 'once', hash: bytes('once'), expiresAt: at } as const
    const link = { hash: bytes('link'), personId: 'per_1', expiresAt: at }
    await write(use)
    await assert.rejects(write({ add: 'signInLink', row: link }, use), conflict('used'))
    assert.equal(await store().accounts.signInLink(link.hash), undefined)
    assert.deepEqual(
      [await store().accounts.isSecretUsed(use.hash), await store().accounts.isSecretUsed(bytes('x'))],
      [true, false],
    )
  })
}

function applicationLaws(store: () => Store, write: Write): void {
  test('an application keeps the time of its first approval, and its name is unique in its team', async () => {
    await write({ add: 'application', row: application(1) })
    assert.deepEqual(await store().accounts.application('app_1'), application(1))
    assert.deepEqual(await store().accounts.pendingApplications(), [application(1)])
    for (const when of [5, 6]) await write({ approve: 'application', applicationId: 'app_1', at: when })
    assert.equal((await store().accounts.application('app_1'))?.approvedAt, 5)
    assert.deepEqual(await store().accounts.pendingApplications(), [])
    const taken = { ...application(2), name: 'App 1' }
    await assert.rejects(write({ add: 'application', row: taken }), conflict('application.name'))
    await write({ add: 'application', row: { ...taken, teamId: 'team_9' } })
    assert.deepEqual(
      (await store().accounts.applications('team_1', { limit: 10 })).rows.map(({ applicationId }) => applicationId),
      ['app_1'],
    )
  })

  test('an application has its secret, and the previous one with its end of validity', async () => {
    await write({ add: 'application', row: application(3) })
    const row = { applicationId: 'app_3', secretHash: bytes('new'), secretBefore: { hash: bytes('old'), until: 9 } }
    await write({ put: 'clientSecret', row })
    assert.deepEqual(await store().accounts.application('app_3'), { ...application(3), ...row })
    const alone = { applicationId: 'app_3', secretHash: bytes('newer') }
    await write({ put: 'clientSecret', row: alone })
    assert.deepEqual(await store().accounts.application('app_3'), { ...application(3), ...alone })
  })

  test('deleting an application ends its tokens and artifacts, and frees its name', async () => {
    const tokenChange = (n: number, application: string) =>
      ({ add: 'token', row: { ...token(n), application } }) as const
    await write({ add: 'application', row: application(4) })
    await store().write([tokenChange(75, 'app_4'), tokenChange(76, 'app_5')])
    await write(
      { put: 'artifact', row: artifact('of 4', { application: 'app_4' }) },
      { put: 'artifact', row: artifact('of 5', { application: 'app_5' }) },
    )
    const selector = { of: 'application', applicationId: 'app_4' } as const
    await write(
      { revoke: 'tokens', selector, at },
      { drop: 'artifacts', selector },
      { drop: 'application', ...selector },
    )
    assert.equal(await store().accounts.application('app_4'), undefined)
    const revoked = await Promise.all([75, 76].map(async (n) => (await store().tokenById(`tok_${n}`))?.revokedAt))
    assert.deepEqual(revoked, [at, undefined])
    const left = await Promise.all(['of 4', 'of 5'].map((key) => store().accounts.artifact('AccessToken', bytes(key))))
    assert.deepEqual(
      left.map((each) => each?.application),
      [undefined, 'app_5'],
    )
    await write({ add: 'application', row: { ...application(4), applicationId: 'app_44' } })
  })

  test('the issued tokens of an application are its valid tokens that do not come from an OAuth flow', async () => {
    const issued = (n: number, more = {}) =>
      ({ add: 'token', row: { ...token(n), application: 'app_7', expiresAt: at + 10, ...more } }) as const
    await store().write([
      issued(70),
      issued(71),
      issued(72, { expiresAt: at }),
      issued(73, { revokedAt: at }),
      issued(74),
    ])
    await write({ put: 'artifact', row: artifact('of a flow', { tokenId: 'tok_74' }) })
    const ids = (await store().accounts.issuedTokens('app_7', at)).map(({ tokenId }) => tokenId)
    assert.deepEqual(ids, ['tok_70', 'tok_71'])
  })
}

function artifactLaws(store: () => Store, write: Write): void {
  const issue = (n: number) => store().write([{ add: 'token', row: token(n) }])
  const isRevoked = async (n: number) => (await store().tokenById(`tok_${n}`))?.revokedAt !== undefined
  const isThere = async (kind: string, key: string) => (await store().accounts.artifact(kind, bytes(key))) !== undefined

  test('an artifact is found by kind and key, and a put replaces it', async () => {
    const row = artifact('a', { grantKey: bytes('g'), actor: 'per_1/team_1', tokenId: 'tok_x' })
    await write({ put: 'artifact', row: artifact('a') }, { put: 'artifact', row })
    assert.deepEqual(await store().accounts.artifact('AccessToken', bytes('a')), row)
    assert.equal(await store().accounts.artifact('RefreshToken', bytes('a')), undefined)
    assert.equal(await store().accounts.actorOf('tok_x'), 'per_1/team_1')
    await write({ put: 'artifact', row: artifact('b', { tokenId: 'tok_y' }) })
    const unnamed = await Promise.all(['tok_y', 'tok_z'].map((tokenId) => store().accounts.actorOf(tokenId)))
    assert.deepEqual(unnamed, [undefined, undefined], 'the token of an application itself, and no token')
  })

  test('a grant is revoked by kind or whole, an actor with all their grants, each with its access tokens', async () => {
    for (const n of [80, 81, 82]) await issue(n)
    const of = (grant: string, actor: string) => ({ grantKey: bytes(grant), actor })
    await write(
      { put: 'artifact', row: artifact('80', { ...of('g1', 'per_5/team_1'), tokenId: 'tok_80' }) },
      { put: 'artifact', row: artifact('r1', { ...of('g1', 'per_5/team_1'), kind: 'RefreshToken' }) },
      { put: 'artifact', row: artifact('g1', { kind: 'Grant', actor: 'per_5/team_1' }) },
      { put: 'artifact', row: artifact('81', { ...of('g2', 'per_5/team_1'), tokenId: 'tok_81' }) },
      { put: 'artifact', row: artifact('82', { ...of('g3', 'per_55/team_1'), tokenId: 'tok_82' }) },
    )
    assert.equal((await store().accounts.grantsOf('per_5')).length, 1)
    const kind = { of: 'grant', kind: 'AccessToken', grantKey: bytes('g1') } as const
    await write({ revoke: 'tokens', selector: kind, at }, { drop: 'artifacts', selector: kind })
    assert.deepEqual([await isRevoked(80), await isThere('RefreshToken', 'r1')], [true, true])
    await write({ drop: 'artifacts', selector: { of: 'wholeGrant', grantKey: bytes('g1') } })
    assert.deepEqual([await isThere('RefreshToken', 'r1'), await isThere('Grant', 'g1')], [false, false])
    const actor = { of: 'actor', actor: 'per_5/team_1' } as const
    await write({ revoke: 'tokens', selector: actor, at }, { drop: 'artifacts', selector: actor })
    assert.deepEqual([await isRevoked(81), await isRevoked(82)], [true, false])
  })

  test('sweeping deletes the expired tokens of OAuth flows, and no others', async () => {
    for (const n of [90, 91, 92]) await issue(n)
    await write(
      { put: 'artifact', row: artifact('90', { tokenId: 'tok_90' }) },
      { put: 'artifact', row: artifact('91', { tokenId: 'tok_91', expiresAt: at + 5_000 }) },
    )
    for (const sweep of ['token', 'artifact', 'used'] as const) await write({ sweep, before: at + 2_000 })
    const left = await Promise.all([90, 91, 92].map((n) => store().tokenById(`tok_${n}`)))
    assert.deepEqual(
      left.map((each) => each?.tokenId),
      [undefined, 'tok_91', 'tok_92'],
    )
    assert.deepEqual([await isThere('AccessToken', '90'), await isThere('AccessToken', '91')], [false, true])
    assert.equal(await store().accounts.isSecretUsed(bytes('once')), false)
  })
}
