import type { Role } from '#contract/account.ts'
import type { Scope } from '#contract/scopes.ts'
import type { Page, PageOf } from './page.ts'

/**
 * Somebody who signs in. A member's name and e-mail are sealed, and `name` is empty; the operator has a name from the
 * first start on, and the rest once it is set.
 */
export type Person = {
  personId: string
  name: string
  role: 'operator' | 'member'
  /** a keyed fingerprint of the e-mail */
  emailKey?: Uint8Array
  /** name and e-mail */
  sealed?: Uint8Array
  /** a slow hash with its salt and cost */
  password?: string
  createdAt: number
}

export type Token = {
  tokenId: string
  teamId: string
  application: string
  /** HMAC-SHA-256 of the token under the pepper */
  hash: Uint8Array
  scopes: Scope[]
  createdAt: number
  expiresAt: number
  revokedAt?: number
}

/** A person's place in a team. */
export type Member = { teamId: string; personId: string; role: Role; createdAt: number }

/** Hashes are HMACs of what a link, a cookie or an application shows: the store cannot give it back. */
export type Invitation = {
  invitationId: string
  teamId: string
  role: Role
  hash: Uint8Array
  by: string
  /** who made it, or in whose name an application did */
  personId?: string
  /** the application that made it */
  application?: string
  createdAt: number
  expiresAt: number
}
export type SignInLink = { hash: Uint8Array; personId: string; expiresAt: number }
export type Session = {
  hash: Uint8Array
  personId: string
  createdAt: number
  expiresAt: number
  /** a sign-in link of the operator opened it */
  byLink?: true
}
/** An e-mail that a person wants to sign in with, until they confirm it by a link or it expires. */
export type EmailChange = {
  personId: string
  /** the e-mail */
  sealed: Uint8Array
  /** the hash of the link that confirms it, once one was made */
  link?: Uint8Array
  createdAt: number
  expiresAt: number
}
export type Application = {
  applicationId: string
  teamId: string
  name: string
  redirectUris: string[]
  scopes: Scope[]
  /** absent for one that cannot keep a secret, such as an app on a phone */
  secretHash?: Uint8Array
  /** the secret before the last rotation, good until then */
  secretBefore?: { hash: Uint8Array; until: number }
  createdAt: number
  /** absent until the operator has approved it */
  approvedAt?: number
}

export type IssuedToken = Pick<Token, 'tokenId' | 'scopes' | 'createdAt' | 'expiresAt'>

/** Something of an OAuth flow of an application. `actor` is who granted it, `tokenId` the access token that it stands for. */
export type Artifact = {
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
 * Which access tokens and artifacts end: of a grant one kind or all with the grant itself, those of an
 * actor or of an application, or one.
 */
export type Ending =
  | { of: 'grant'; kind: string; grantKey: Uint8Array }
  | { of: 'wholeGrant'; grantKey: Uint8Array }
  | { of: 'actor'; actor: string }
  | { of: 'application'; applicationId: string }
  | { of: 'artifact'; kind: string; key: Uint8Array }

export type AccountChange =
  | { put: 'person'; row: Person }
  /** In the place of one that the person asked for before. */
  | { put: 'emailChange'; row: EmailChange }
  | { drop: 'emailChange'; personId: string }
  | { add: 'member'; row: Member }
  | { put: 'member'; row: Member }
  | { drop: 'member'; teamId: string; personId: string }
  | { add: 'invitation'; row: Invitation }
  | { drop: 'invitation'; invitationId: string }
  | { add: 'signInLink'; row: SignInLink }
  | { add: 'session'; row: Session }
  | { drop: 'session'; hash: Uint8Array }
  /** Every session of a person but one. */
  | { drop: 'sessionsOf'; personId: string; but?: Uint8Array }
  | { add: 'application'; row: Application }
  | { approve: 'application'; applicationId: string; at: number }
  | { put: 'clientSecret'; row: Pick<Application, 'applicationId' | 'secretHash' | 'secretBefore'> }
  | { drop: 'application'; applicationId: string }
  | { put: 'artifact'; row: Artifact }
  /** Revokes the access tokens. To be written before their artifacts are dropped. */
  | { revoke: 'tokens'; ending: Ending; at: number }
  | { drop: 'artifacts'; ending: Ending }
  /** A Conflict where it was used before. */
  | { use: 'once'; hash: Uint8Array; expiresAt: number }
  /** Drops what expired before: of tokens those that came of an OAuth flow. In this order. */
  | {
      sweep: 'token' | 'artifact' | 'used' | 'session' | 'sign_in_link' | 'invitation' | 'email_change'
      before: number
    }

/** People, their teams and sessions, applications, and what OAuth flows keep. */
export type Accounts = {
  person(personId: string): Promise<Person | undefined>
  personByEmail(emailKey: Uint8Array): Promise<Person | undefined>
  emailChange(personId: string): Promise<EmailChange | undefined>
  emailChangeOf(link: Uint8Array): Promise<EmailChange | undefined>
  /** Those of every person, oldest first. */
  emailChanges(): Promise<EmailChange[]>
  member(teamId: string, personId: string): Promise<Member | undefined>
  /** In the order they joined. */
  members(teamId: string): Promise<Member[]>
  memberships(personId: string): Promise<Member[]>
  invitation(hash: Uint8Array): Promise<Invitation | undefined>
  invitations(teamId: string): Promise<Invitation[]>
  signInLink(hash: Uint8Array): Promise<SignInLink | undefined>
  session(hash: Uint8Array): Promise<Session | undefined>
  application(applicationId: string): Promise<Application | undefined>
  applications(teamId: string, page: PageOf): Promise<Page<Application>>
  /** Those of every team that wait for the operator, oldest first. */
  unapproved(): Promise<Application[]>
  /** The good tokens of an application that no OAuth flow made, oldest first. */
  issuedTokens(applicationId: string, nowMs: number): Promise<IssuedToken[]>
  artifact(kind: string, key: Uint8Array): Promise<Artifact | undefined>
  /** In whose name an access token of a flow acts. */
  actorOf(tokenId: string): Promise<string | undefined>
  /** What a person has granted, for whichever team. */
  grantsOf(personId: string): Promise<Artifact[]>
  isUsed(hash: Uint8Array): Promise<boolean>
}
