import type { ApplicationGrant } from '#account/applicationGrants.ts'
import type { PendingEmailChange } from '#account/emailChange.ts'
import type { TeamMembership } from '#account/membership.ts'
import { fullDate } from '#kit/fullDate.ts'
import type { ApplicationRecord } from '#store/accounts.ts'
import { type Html, html } from './html.ts'

const teamRow = (base: string, { teamId, name, role }: TeamMembership) => html`
<div class="row"><span class="who"><a href="${base}/account/team/${teamId}">${name}</a><small>${teamId}</small></span><span>${role}</span></div>`

const pendingRow = (base: string, { applicationId, name, teamId, scopes, redirectUris }: ApplicationRecord) => html`
<div class="row"><span class="who">${name}<small>${applicationId} of ${teamId}</small><small>${scopes.join(', ')}</small>
${redirectUris.map((uri) => html`<small>${uri}</small>`)}</span>
<form method="get" action="${base}/account/application/${applicationId}/approve"><button class="quiet">Approve</button></form></div>`

const grantRow = (base: string, { applicationId, name, teamId, teamName }: ApplicationGrant) => html`
<div class="row"><span class="who">${name}<small>for ${teamName}</small></span>
<form method="get" action="${base}/account/access/end"><input type="hidden" name="application" value="${applicationId}">
<input type="hidden" name="team" value="${teamId}"><button class="quiet">End access</button></form></div>`

/** `newEmail` is pending. Without a password the form requires one. */
type SignInData = { name: string; email?: string; newEmail?: string; hasPassword: boolean }

const newPassword = (hasPassword: boolean) => html`
<label>A new password, at least 10 characters<input name="password" type="password" autocomplete="new-password" minlength="10" maxlength="200"${!hasPassword && html` required`}></label>`

const currentPassword = html`
<label>Your password as it is, for another e-mail or password<input name="currentPassword" type="password" autocomplete="current-password" maxlength="200"></label>`

export const signInCard = (base: string, { name, email = '', newEmail, hasPassword }: SignInData): Html => html`
<h2>Your sign-in</h2>
<form method="post" action="${base}/account/sign-in-data" class="card">
<label>Name<input name="name" autocomplete="name" required maxlength="200" value="${name}"></label>
<label>E-mail<input name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"></label>
${newEmail && html`<p>${newEmail} waits to be confirmed by the link that the operator sends there.</p>`}
${newPassword(hasPassword)}${hasPassword && currentPassword}
<button>Save</button>
</form>`

const emailChangeRow = (
  base: string,
  { personId, name, email, newEmail, expiresAt, isTaken }: PendingEmailChange,
) => html`
<div class="row"><span class="who">${newEmail}<small>${name}, so far ${email ?? 'without an e-mail'}</small><small>until ${fullDate(expiresAt)}</small></span>
${isTaken ? html`<span>somebody else has it</span>` : html`<form method="post" action="${base}/account/email-change/${personId}"><button class="quiet">Make a link</button></form>`}</div>`

const list = (title: string, rows: readonly Html[]): Html | false =>
  rows.length > 0 && html`<h2>${title}</h2><div class="card">${rows}</div>`

export const teamsCard = (base: string, teams: readonly TeamMembership[]): Html => html`
<h2>Teams</h2>
<div class="card">${teams.length > 0 ? teams.map((team) => teamRow(base, team)) : html`<p>You are in no team.</p>`}</div>`

export const pendingCard = (base: string, pending: readonly ApplicationRecord[]) =>
  list(
    'Applications that wait for approval',
    pending.map((each) => pendingRow(base, each)),
  )

export const waitingCard = (base: string, changes: readonly PendingEmailChange[]) =>
  list(
    'E-mails that wait to be confirmed',
    changes.map((each) => emailChangeRow(base, each)),
  )

export const grantedCard = (base: string, grants: readonly ApplicationGrant[]) =>
  list(
    'Applications with your access',
    grants.map((each) => grantRow(base, each)),
  )
