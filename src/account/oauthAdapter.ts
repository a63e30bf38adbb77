import type { Adapter, AllClientMetadata } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import type { Scope } from '#contract/scopes.ts'
import { equalBytes } from '#kit/cipher.ts'
import { newId } from '#kit/id.ts'
import type { ApplicationRecord, OAuthArtifact } from '#store/accounts.ts'
import { Conflict, type StoreChange } from '#store/store.ts'
import { type AccountDeps, auditChange, revokeChanges } from './accountDeps.ts'
import { findRole, parseActor } from './membership.ts'
import { type ArtifactPayload, artifactAad, openArtifact } from './oauthArtifact.ts'
import { roleScopes } from './roleScopes.ts'

/** The library's sessions are not stored: people sign in on this server's own pages. */
const unstoredKind = 'Session'
export const accessTokenKinds: readonly string[] = ['AccessToken', 'ClientCredentials']

type ArtifactKeys = AccountDeps['keys']

const artifactKey = (keys: ArtifactKeys, kind: string, id: string) => keys.hashToken(`${kind}\0${id}`)

/** The hashes of the valid secrets, newest first, joined in the library's field for the client secret. */
const joinSecretHashes = ({ secretHash, secretBefore }: ApplicationRecord, nowMs: number) =>
  [secretHash, secretBefore && secretBefore.until > nowMs ? secretBefore.hash : undefined]
    .flatMap((hash) => (hash ? [Buffer.from(hash).toString('base64url')] : []))
    .join('.')

/** True if a hash is one of the joined hashes. Compares with all of them, in constant time. */
export const matchesSecret = (hash: Uint8Array, secrets: string): boolean =>
  secrets.split('.').filter((each) => equalBytes(hash, Buffer.from(each, 'base64url'))).length > 0

/** The hosts that the library counts as loopback: no other address of 127.0.0.0/8. */
const isLibraryLoopback = ({ hostname }: URL) => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

/**
 * An application with an http redirect URI on a loopback address is native: it may use any port (RFC 8252, section 7.3).
 * The library refuses https on a loopback address for native applications, so such an application keeps its exact ports.
 */
function applicationType(redirectUris: readonly string[]): 'native' | 'web' {
  const loopback = redirectUris.map((uri) => new URL(uri)).filter(isLibraryLoopback)
  return loopback.length > 0 && loopback.every(({ protocol }) => protocol === 'http:') ? 'native' : 'web'
}

/** An approved application as a client of the library; undefined for one that is not approved. */
function toOAuthClient(application: ApplicationRecord, nowMs: number): AllClientMetadata | undefined {
  const { approvedAt } = application
  if (approvedAt === undefined) return undefined
  const { applicationId, name, redirectUris, scopes, secretHash } = application
  const hasPeople = redirectUris.length > 0
  return {
    client_id: applicationId,
    client_name: name,
    application_type: applicationType(redirectUris),
    redirect_uris: redirectUris,
    grant_types: [
      ...(hasPeople ? ['authorization_code', 'refresh_token'] : []),
      ...(secretHash ? ['client_credentials'] : []),
    ],
    response_types: hasPeople ? ['code'] : [],
    response_modes: ['query'],
    scope: scopes.join(' '),
    token_endpoint_auth_method: secretHash ? 'client_secret_basic' : 'none',
    ...(secretHash && { client_secret: joinSecretHashes(application, nowMs) }),
  }
}

async function findPayload(deps: AccountDeps, kind: string, id: string): Promise<ArtifactPayload | undefined> {
  const { accounts } = deps.store
  if (kind === 'Client') {
    const application = await accounts.application(id)
    return application && (toOAuthClient(application, deps.clock.now()) as ArtifactPayload | undefined)
  }
  const key = artifactKey(deps.keys, kind, id)
  const artifact = await accounts.artifact(kind, key)
  if (!artifact || artifact.expiresAt <= deps.clock.now()) return undefined
  return { ...openArtifact(artifact, deps), ...((await accounts.isSecretUsed(key)) && { consumed: true }) }
}

/** The owner of an access token: the person who granted it, otherwise the application. */
async function findTokenOwner({ store }: Pick<AccountDeps, 'store'>, { clientId = '', accountId }: ArtifactPayload) {
  if (accountId) {
    const { personId, teamId } = parseActor(accountId)
    return { by: personId, teamId }
  }
  return { by: clientId, teamId: (await store.accounts.application(clientId))!.teamId }
}

/** The IP address of the request that the library is handling. */
const callerAddress = () => Provider.ctx?.ip

type ArtifactWrite = { id: string; payload: ArtifactPayload; expiresAt: number }

/** Throws invalid_grant if the person's current role lacks a scope that they granted. */
async function refuseLostScopes(deps: AccountDeps, { accountId, scope = '' }: ArtifactPayload): Promise<void> {
  if (!accountId) return
  const { personId, teamId } = parseActor(accountId)
  const person = await deps.store.accounts.person(personId)
  const role = person && (await findRole(deps, person, teamId))
  const allowed: readonly string[] = role ? roleScopes(role) : []
  if (!scope.split(' ').every((each) => allowed.includes(each)))
    throw new errors.InvalidGrant('the person no longer has every scope that they granted')
}

/** The changes that add an access token. They also delete expired tokens, artifacts and used secrets. */
async function tokenChanges(deps: AccountDeps, { id, payload, expiresAt }: ArtifactWrite) {
  await refuseLostScopes(deps, payload)
  const now = deps.clock.now()
  const { by, teamId } = await findTokenOwner(deps, payload)
  const tokenId = newId('tok', now)
  const application = payload.clientId ?? ''
  const scopes = (payload.scope ?? '').split(' ') as Scope[]
  const hash = deps.keys.hashToken(id)
  const changes: StoreChange[] = [
    ...(['token', 'artifact', 'used'] as const).map((sweep) => ({ account: { sweep, before: now } }) as const),
    { add: 'token', row: { tokenId, teamId, application, hash, scopes, createdAt: now, expiresAt } },
    auditChange(
      deps,
      { by, from: callerAddress() },
      { what: 'grantToken', teamId, object: tokenId, after: { application, scopes } },
    ),
  ]
  return { tokenId, changes }
}

async function upsertArtifact(
  deps: AccountDeps,
  kind: string,
  { id, payload, expiresAt }: ArtifactWrite,
): Promise<void> {
  if (kind === unstoredKind) return
  const { keys } = deps
  const key = artifactKey(keys, kind, id)
  const token = accessTokenKinds.includes(kind) ? await tokenChanges(deps, { id, payload, expiresAt }) : undefined
  const row: OAuthArtifact = {
    kind,
    key,
    ...(payload.grantId && { grantKey: artifactKey(keys, 'Grant', payload.grantId) }),
    ...(payload.accountId && { actor: payload.accountId }),
    ...(payload.clientId && { application: payload.clientId }),
    ...(token && { tokenId: token.tokenId }),
    sealed: keys.sealSecret(Buffer.from(JSON.stringify(payload)), artifactAad(kind, key)),
    expiresAt,
  }
  await deps.store.write([...(token?.changes ?? []), { account: { put: 'artifact', row } }])
}

/**
 * Marks an artifact as used. Of concurrent requests with the same code, only one succeeds; others get invalid_grant.
 */
async function consumeArtifact(
  { store, keys, clock }: Pick<AccountDeps, 'store' | 'keys' | 'clock'>,
  kind: string,
  id: string,
): Promise<void> {
  const hash = artifactKey(keys, kind, id)
  const expiresAt = (await store.accounts.artifact(kind, hash))?.expiresAt ?? clock.now()
  await store.write([{ account: { use: 'once', hash, expiresAt } }]).catch((error) => {
    throw error instanceof Conflict && error.unique === 'used' ? new errors.InvalidGrant('already used') : error
  })
}

async function destroyArtifact(deps: AccountDeps, kind: string, id: string): Promise<void> {
  const key = artifactKey(deps.keys, kind, id)
  const artifact = await deps.store.accounts.artifact(kind, key)
  if (!artifact) return
  const changes = revokeChanges(deps, { of: 'artifact', kind, key })
  const { tokenId } = artifact
  if (tokenId) {
    const payload = openArtifact(artifact, deps)
    const { teamId } = await findTokenOwner(deps, payload)
    changes.push(
      auditChange(
        deps,
        { by: payload.clientId ?? '', from: callerAddress() },
        { what: 'deleteToken', teamId, object: tokenId },
      ),
    )
  }
  await deps.store.write(changes)
}

/** The library calls this for each kind of artifact of a grant. The audit entry is written with the access tokens. */
async function revokeGrant(deps: AccountDeps, kind: string, grantId: string): Promise<void> {
  const changes = revokeChanges(deps, { of: 'grant', kind, grantKey: artifactKey(deps.keys, 'Grant', grantId) })
  const grant = kind === 'AccessToken' ? await findPayload(deps, 'Grant', grantId) : undefined
  if (grant) {
    const { teamId, personId } = parseActor(grant.accountId ?? '')
    changes.push(
      auditChange(
        deps,
        { by: grant.clientId ?? '', from: callerAddress() },
        { what: 'endGrant', teamId, object: personId },
      ),
    )
  }
  await deps.store.write(changes)
}

/** The library's storage: artifacts are sealed and found by a hash, and access tokens are rows like any other. */
export const createOAuthAdapter =
  (deps: AccountDeps) =>
  (kind: string): Adapter => ({
    upsert: (id, payload, expiresInS = 0) =>
      upsertArtifact(deps, kind, {
        id,
        payload: payload as ArtifactPayload,
        expiresAt: deps.clock.now() + expiresInS * 1000,
      }),
    find: (id) => findPayload(deps, kind, id),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: (id) => consumeArtifact(deps, kind, id),
    destroy: (id) => destroyArtifact(deps, kind, id),
    revokeByGrantId: (grantId) => revokeGrant(deps, kind, grantId),
  })
