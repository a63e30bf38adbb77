import type { Adapter, AllClientMetadata } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import type { Scope } from '#contract/scopes.ts'
import { sameBytes } from '#kit/cipher.ts'
import { newId } from '#kit/id.ts'
import type { Application, Artifact, Ending } from '#store/accounts.ts'
import { type Change, Conflict } from '#store/store.ts'
import { bindOf, openArtifact, type Payload } from './artifact.ts'
import { partsOf, roleIn } from './member.ts'
import { scopesOf } from './role.ts'
import { type AccountWorld, auditOf } from './world.ts'

/** Whoever signs in does so on our own pages: the library's session remembers nobody between two flows. */
const forgotten = 'Session'
export const accessTokens: readonly string[] = ['AccessToken', 'ClientCredentials']

type Keys = AccountWorld['keys']

const keyOf = (keys: Keys, kind: string, id: string) => keys.tokenHash(`${kind}\0${id}`)

/** The hashes of the secrets that are good at a time, the newest first, as the library keeps a client's secret. */
const secretsOf = ({ secretHash, secretBefore }: Application, nowMs: number) =>
  [secretHash, secretBefore && secretBefore.until > nowMs ? secretBefore.hash : undefined]
    .flatMap((hash) => (hash ? [Buffer.from(hash).toString('base64url')] : []))
    .join('.')

/** Is this one of them? Neither is looked at less long than the other. */
export const isOneOf = (hash: Uint8Array, secrets: string): boolean =>
  secrets.split('.').filter((each) => sameBytes(hash, Buffer.from(each, 'base64url'))).length > 0

/** An approved application as the library knows a client; others are unknown to it. */
export function clientOf(application: Application, nowMs: number): AllClientMetadata | undefined {
  const { approvedAt } = application
  if (approvedAt === undefined) return undefined
  const { applicationId, name, redirectUris, scopes, secretHash } = application
  const hasPeople = redirectUris.length > 0
  return {
    client_id: applicationId,
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: [
      ...(hasPeople ? ['authorization_code', 'refresh_token'] : []),
      ...(secretHash ? ['client_credentials'] : []),
    ],
    response_types: hasPeople ? ['code'] : [],
    response_modes: ['query'],
    scope: scopes.join(' '),
    token_endpoint_auth_method: secretHash ? 'client_secret_basic' : 'none',
    ...(secretHash && { client_secret: secretsOf(application, nowMs) }),
  }
}

async function find(on: AccountWorld, kind: string, id: string): Promise<Payload | undefined> {
  const { accounts } = on.store
  if (kind === 'Client') {
    const application = await accounts.application(id)
    return application && (clientOf(application, on.clock.now()) as Payload | undefined)
  }
  const key = keyOf(on.keys, kind, id)
  const artifact = await accounts.artifact(kind, key)
  if (!artifact || artifact.expiresAt <= on.clock.now()) return undefined
  return { ...openArtifact(artifact, on), ...((await accounts.isUsed(key)) && { consumed: true }) }
}

/** Whom an access token acts for: who granted it, else the application itself. */
async function actingFor({ store }: AccountWorld, { clientId = '', accountId }: Payload) {
  if (accountId) {
    const { personId, teamId } = partsOf(accountId)
    return { by: personId, teamId }
  }
  return { by: clientId, teamId: (await store.accounts.application(clientId))!.teamId }
}

/** The address of the call that the library is answering. */
const caller = () => Provider.ctx?.ip

type Kept = { id: string; payload: Payload; expiresAt: number }

/** A person who has a lesser role since they agreed gives no more than that role allows. Throws invalid_grant. */
async function refuseLostScopes(on: AccountWorld, { accountId, scope = '' }: Payload): Promise<void> {
  if (!accountId) return
  const { personId, teamId } = partsOf(accountId)
  const person = await on.store.accounts.person(personId)
  const role = person && (await roleIn(on, person, teamId))
  const held: readonly string[] = role ? scopesOf(role) : []
  if (!scope.split(' ').every((each) => held.includes(each)))
    throw new errors.InvalidGrant('the person may no longer give what was agreed to')
}

/** The row of an access token; what flows left behind and has expired goes at the same time. */
async function tokenChanges(on: AccountWorld, { id, payload, expiresAt }: Kept) {
  await refuseLostScopes(on, payload)
  const now = on.clock.now()
  const { by, teamId } = await actingFor(on, payload)
  const tokenId = newId('tok', now)
  const application = payload.clientId ?? ''
  const scopes = (payload.scope ?? '').split(' ') as Scope[]
  const hash = on.keys.tokenHash(id)
  const changes: Change[] = [
    ...(['token', 'artifact', 'used'] as const).map((sweep) => ({ account: { sweep, before: now } }) as const),
    { add: 'token', row: { tokenId, teamId, application, hash, scopes, createdAt: now, expiresAt } },
    auditOf(
      on,
      { by, from: caller() },
      { what: 'grantToken', teamId, object: tokenId, after: { application, scopes } },
    ),
  ]
  return { tokenId, changes }
}

async function upsert(on: AccountWorld, kind: string, { id, payload, expiresAt }: Kept): Promise<void> {
  if (kind === forgotten) return
  const { keys } = on
  const key = keyOf(keys, kind, id)
  const token = accessTokens.includes(kind) ? await tokenChanges(on, { id, payload, expiresAt }) : undefined
  const row: Artifact = {
    kind,
    key,
    ...(payload.grantId && { grantKey: keyOf(keys, 'Grant', payload.grantId) }),
    ...(payload.accountId && { actor: payload.accountId }),
    ...(payload.clientId && { application: payload.clientId }),
    ...(token && { tokenId: token.tokenId }),
    sealed: keys.sealPrivate(Buffer.from(JSON.stringify(payload)), bindOf(kind, key)),
    expiresAt,
  }
  await on.store.write([...(token?.changes ?? []), { account: { put: 'artifact', row } }])
}

const end = ({ clock }: AccountWorld, ending: Ending): Change[] => [
  { account: { revoke: 'tokens', ending, at: clock.now() } },
  { account: { drop: 'artifacts', ending } },
]

/** Of two that come with the same code at once, one gets tokens. */
async function consume({ store, keys, clock }: AccountWorld, kind: string, id: string): Promise<void> {
  const hash = keyOf(keys, kind, id)
  const expiresAt = (await store.accounts.artifact(kind, hash))?.expiresAt ?? clock.now()
  await store.write([{ account: { use: 'once', hash, expiresAt } }]).catch((error) => {
    throw error instanceof Conflict && error.unique === 'used' ? new errors.InvalidGrant('already used') : error
  })
}

async function destroy(on: AccountWorld, kind: string, id: string): Promise<void> {
  const key = keyOf(on.keys, kind, id)
  const artifact = await on.store.accounts.artifact(kind, key)
  if (!artifact) return
  const changes = end(on, { of: 'artifact', kind, key })
  const { tokenId } = artifact
  if (tokenId) {
    const payload = openArtifact(artifact, on)
    const { teamId } = await actingFor(on, payload)
    changes.push(
      auditOf(on, { by: payload.clientId ?? '', from: caller() }, { what: 'deleteToken', teamId, object: tokenId }),
    )
  }
  await on.store.write(changes)
}

/** Asked once for each kind of thing that came of a grant; told with the first of them. */
async function endGrant(on: AccountWorld, kind: string, grantId: string): Promise<void> {
  const changes = end(on, { of: 'grant', kind, grantKey: keyOf(on.keys, 'Grant', grantId) })
  const grant = kind === 'AccessToken' ? await find(on, 'Grant', grantId) : undefined
  if (grant) {
    const { teamId, personId } = partsOf(grant.accountId ?? '')
    changes.push(
      auditOf(on, { by: grant.clientId ?? '', from: caller() }, { what: 'endGrant', teamId, object: personId }),
    )
  }
  await on.store.write(changes)
}

/** What the library keeps, in our store: found by a hash, sealed, and access tokens as rows like any other. */
export const artifacts =
  (on: AccountWorld) =>
  (kind: string): Adapter => ({
    upsert: (id, payload, expiresInS = 0) =>
      upsert(on, kind, { id, payload: payload as Payload, expiresAt: on.clock.now() + expiresInS * 1000 }),
    find: (id) => find(on, kind, id),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: (id) => consume(on, kind, id),
    destroy: (id) => destroy(on, kind, id),
    revokeByGrantId: (grantId) => endGrant(on, kind, grantId),
  })
