import type { Role } from '#contract/account.ts'
import type { Scope } from '#contract/scopes.ts'
import type { PageRequest, ResultPage } from './cursor.ts'

/** `alertsMutedUntil`: no alert rule of the team starts an incident before this time (epoch ms). */
export type TeamRecord = {
  teamId: string
  name: string
  sealedKey: Uint8Array
  createdAt: number
  alertsMutedUntil?: number
}

/**
 * A person who can sign in. A member's name and e-mail are in `sealed`, and `name` is empty. The operator has `name`
 * from the first start on; the other fields are set later.
 */
export type PersonRecord = {
  personId: string
  name: string
  role: 'operator' | 'member'
  /** A keyed fingerprint of the e-mail. */
  emailKey?: Uint8Array
  /** Name and e-mail. */
  sealed?: Uint8Array
  /** A slow hash with its salt and cost. */
  password?: string
  createdAt: number
}

export type TokenRecord = {
  tokenId: string
  teamId: string
  application: string
  /** HMAC-SHA-256 of the token with the pepper. */
  hash: Uint8Array
  scopes: Scope[]
  createdAt: number
  expiresAt: number
  revokedAt?: number
}

/** A person's membership in a team. */
export type MemberRecord = { teamId: string; personId: string; role: Role; createdAt: number }

/** Hashes are HMACs of the secret of a link, cookie or application. */
export type InvitationRecord = {
  invitationId: string
  teamId: string
  role: Role
  hash: Uint8Array
  by: string
  /** The inviter, or the person on whose behalf the application invited. */
  personId?: string
  /** The application that made the invitation. */
  application?: string
  createdAt: number
  expiresAt: number
}
export type SignInLinkRecord = { hash: Uint8Array; personId: string; expiresAt: number }
export type SessionRecord = {
  hash: Uint8Array
  personId: string
  createdAt: number
  expiresAt: number
  /** The session was opened by the operator's sign-in link. */
  byLink?: true
}
/** A browser in which a person has signed in. Only the kind of browser is stored, and no IP address. */
export type DeviceRecord = {
  deviceId: string
  personId: string
  /** When the person first and last signed in there. */
  createdAt: number
  seenAt: number
  expiresAt: number
  /** `Firefox` and `Linux`, or `other`. */
  browser: string
  system: string
}
/** A pending e-mail of a person, until a link confirms it or it expires. */
export type EmailChange = {
  personId: string
  /** The e-mail. */
  sealed: Uint8Array
  /** The hash of the link that confirms it; absent until a link is made. */
  link?: Uint8Array
  createdAt: number
  expiresAt: number
}
export type ApplicationRecord = {
  applicationId: string
  teamId: string
  name: string
  redirectUris: string[]
  scopes: Scope[]
  /** Absent for a public application, such as a phone app, which cannot keep a secret. */
  secretHash?: Uint8Array
  /** The previous secret, valid until `until`. */
  secretBefore?: { hash: Uint8Array; until: number }
  createdAt: number
  /** Absent until the operator approves it. */
  approvedAt?: number
}

export type IssuedToken = Pick<TokenRecord, 'tokenId' | 'scopes' | 'createdAt' | 'expiresAt'>

/** An artifact of an application's OAuth flow. `actor` granted it; `tokenId` is the access token that it represents. */
export type OAuthArtifact = {
  kind: string
  key: Uint8Array
  grantKey?: Uint8Array
  actor?: string
  application?: string
  tokenId?: string
  sealed: Uint8Array
  expiresAt: number
}

/**
 * Selects access tokens and artifacts: one kind of artifact of a grant, a whole grant, all of an actor or of an
 * application, or a single artifact.
 */
export type ArtifactSelector =
  | { of: 'grant'; kind: string; grantKey: Uint8Array }
  | { of: 'wholeGrant'; grantKey: Uint8Array }
  | { of: 'actor'; actor: string }
  | { of: 'application'; applicationId: string }
  | { of: 'artifact'; kind: string; key: Uint8Array }

export type AccountChange =
  /** Locks the person, so that concurrent writes that change the person run one after the other. */
  | { lock: 'person'; personId: string }
  | { put: 'person'; row: PersonRecord }
  /** Replaces the earlier pending e-mail of the person. */
  | { put: 'emailChange'; row: EmailChange }
  | { drop: 'emailChange'; personId: string }
  | { add: 'member'; row: MemberRecord }
  | { put: 'member'; row: MemberRecord }
  | { drop: 'member'; teamId: string; personId: string }
  | { add: 'invitation'; row: InvitationRecord }
  | { drop: 'invitation'; invitationId: string }
  | { add: 'signInLink'; row: SignInLinkRecord }
  | { add: 'session'; row: SessionRecord }
  /** With `unless`, only if the person's password has changed since. */
  | { drop: 'session'; hash: Uint8Array; unless?: { personId: string; password: string } }
  /** Drops every session of a person except `but`. */
  | { drop: 'sessionsOf'; personId: string; but?: Uint8Array }
  | { add: 'device'; row: DeviceRecord }
  | { drop: 'device'; personId: string; deviceId: string }
  | { drop: 'devicesOf'; personId: string }
  /** Drops the devices of a person except the `keep` most recently seen. */
  | { drop: 'oldDevices'; personId: string; keep: number }
  | { add: 'application'; row: ApplicationRecord }
  | { approve: 'application'; applicationId: string; at: number }
  | { put: 'clientSecret'; row: Pick<ApplicationRecord, 'applicationId' | 'secretHash' | 'secretBefore'> }
  | { drop: 'application'; applicationId: string }
  | { put: 'artifact'; row: OAuthArtifact }
  /** Revokes the access tokens. Must come before the drop of their artifacts. */
  | { revoke: 'tokens'; selector: ArtifactSelector; at: number }
  | { drop: 'artifacts'; selector: ArtifactSelector }
  /** Throws Conflict if the secret was used before. */
  | { use: 'once'; hash: Uint8Array; expiresAt: number }
  /** Deletes rows that expired before this time; of tokens, only tokens of OAuth flows. Sweeps run in this order. */
  | {
      sweep: 'token' | 'artifact' | 'used' | 'session' | 'device' | 'sign_in_link' | 'invitation' | 'email_change'
      before: number
    }

/** People, their teams and sessions, applications, and OAuth artifacts. */
export type AccountStore = {
  person(personId: string): Promise<PersonRecord | undefined>
  personByEmail(emailKey: Uint8Array): Promise<PersonRecord | undefined>
  emailChange(personId: string): Promise<EmailChange | undefined>
  emailChangeOf(link: Uint8Array): Promise<EmailChange | undefined>
  /** The pending e-mails of all people, oldest first. */
  emailChanges(): Promise<EmailChange[]>
  member(teamId: string, personId: string): Promise<MemberRecord | undefined>
  /** In order of joining. */
  members(teamId: string): Promise<MemberRecord[]>
  memberships(personId: string): Promise<MemberRecord[]>
  invitation(hash: Uint8Array): Promise<InvitationRecord | undefined>
  invitations(teamId: string): Promise<InvitationRecord[]>
  signInLink(hash: Uint8Array): Promise<SignInLinkRecord | undefined>
  session(hash: Uint8Array): Promise<SessionRecord | undefined>
  /** The sessions of a person, newest first, including expired ones. */
  sessionsOf(personId: string): Promise<SessionRecord[]>
  device(deviceId: string): Promise<DeviceRecord | undefined>
  /** The devices of a person, most recently seen first, including expired ones. */
  devicesOf(personId: string): Promise<DeviceRecord[]>
  application(applicationId: string): Promise<ApplicationRecord | undefined>
  applications(teamId: string, page: PageRequest): Promise<ResultPage<ApplicationRecord>>
  /** The applications of all teams that wait for approval, oldest first. */
  pendingApplications(): Promise<ApplicationRecord[]>
  /** The valid tokens of an application that do not come from an OAuth flow, oldest first. */
  issuedTokens(applicationId: string, nowMs: number): Promise<IssuedToken[]>
  artifact(kind: string, key: Uint8Array): Promise<OAuthArtifact | undefined>
  /** The actor of an access token from an OAuth flow. */
  actorOf(tokenId: string): Promise<string | undefined>
  /** The grants of a person for all teams. */
  grantsOf(personId: string): Promise<OAuthArtifact[]>
  isSecretUsed(hash: Uint8Array): Promise<boolean>
}
