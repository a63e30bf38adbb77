import type { Role, Member as ShownMember } from '#contract/account.ts'
import { fault } from '#contract/fault.ts'
import { fullDate } from '#kit/fullDate.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import type { MemberRecord, PersonRecord } from '#store/accounts.ts'
import { type AccountDeps, auditChange, revokeChanges } from './accountDeps.ts'
import type { Keyring } from './keyring.ts'
import { openProfile } from './person.ts'
import { refuseEscalation, type ScopeHolder } from './privilege.ts'
import { roleScopes } from './roleScopes.ts'

/** The actor of a grant: a person who acts for a team. */
export const formatActor = (personId: string, teamId: string) => `${personId}/${teamId}`

export function parseActor(actor: string): { personId: string; teamId: string } {
  const [personId = '', teamId = ''] = actor.split('/')
  return { personId, teamId }
}

/** The person's role in the team; the operator is an owner everywhere. */
export async function findRole(
  { store }: Pick<AccountDeps, 'store'>,
  person: PersonRecord,
  teamId: string,
): Promise<Role | undefined> {
  if (person.role === 'operator') return (await store.team(teamId)) && 'owner'
  return (await store.accounts.member(teamId, person.personId))?.role
}

export type TeamMembership = { teamId: string; name: string; role: Role }

/** The teams that a person may act for. */
export async function findMemberships(
  { store }: Pick<AccountDeps, 'store'>,
  person: PersonRecord,
): Promise<TeamMembership[]> {
  if (person.role === 'operator')
    return (await store.teams()).map(({ teamId, name }) => ({ teamId, name, role: 'owner' }))
  const members = await store.accounts.memberships(person.personId)
  const memberships = members.map(async ({ teamId, role }) => ({
    teamId,
    name: (await store.team(teamId))?.name ?? '',
    role,
  }))
  return Promise.all(memberships)
}

const showMember = ({ role, createdAt }: MemberRecord, person: PersonRecord, keys: Keyring): ShownMember => ({
  personId: person.personId,
  ...openProfile(person, keys),
  role,
  createdAt: fullDate(createdAt),
})

async function requirePerson({ store }: Pick<AccountDeps, 'store'>, personId: string): Promise<PersonRecord> {
  const person = await store.accounts.person(personId)
  if (!person) throw new Error(`The member ${personId} has no person row.`)
  return person
}

export async function readMembers(deps: AccountDeps, teamId: string): Promise<ShownMember[]> {
  const members = await deps.store.accounts.members(teamId)
  return Promise.all(
    members.map(async (member) => showMember(member, await requirePerson(deps, member.personId), deps.keys)),
  )
}

/** Serialises the changes of a team's members, so that the last two owners cannot leave concurrently. */
const withLock = keyedMutex()

type MemberChange = { what: string; teamId: string; personId: string; role?: Role }

/**
 * The member to change. The holder must have every scope of the member's current and new roles, and the team must keep
 * an owner. Throws memberUnknown, scopeMissing and lastOwner.
 */
async function memberToChange(deps: AccountDeps, { what, teamId, personId, role }: MemberChange, holder: ScopeHolder) {
  const members = await deps.store.accounts.members(teamId)
  const member = members.find((each) => each.personId === personId)
  if (!member) throw fault('memberUnknown')
  const needed = [...roleScopes(member.role), ...(role ? roleScopes(role) : [])]
  await refuseEscalation(deps, needed, holder, { what, teamId, object: personId })
  const others = members.some((each) => each.role === 'owner' && each.personId !== personId)
  if (member.role === 'owner' && role !== 'owner' && !others) throw fault('lastOwner')
  return member
}

/** Changes the role of a member. Throws memberUnknown, scopeMissing and lastOwner. */
export const changeRole = (
  deps: AccountDeps,
  { teamId, personId, role }: { teamId: string; personId: string; role: Role },
  holder: ScopeHolder,
): Promise<ShownMember> =>
  withLock(teamId, async () => {
    const member = await memberToChange(deps, { what: 'updateMember', teamId, personId, role }, holder)
    const row = { ...member, role }
    const change = { what: 'updateMember', teamId, object: personId, before: { role: member.role }, after: { role } }
    await deps.store.write([
      { account: { put: 'member', row } },
      ...revokeChanges(deps, { of: 'actor', actor: formatActor(personId, teamId) }),
      auditChange(deps, holder, change),
    ])
    return showMember(row, await requirePerson(deps, personId), deps.keys)
  })

/** Removes a member from the team. Throws memberUnknown, scopeMissing and lastOwner. */
export const removeMember = (deps: AccountDeps, teamId: string, personId: string, holder: ScopeHolder): Promise<void> =>
  withLock(teamId, async () => {
    const { role } = await memberToChange(deps, { what: 'deleteMember', teamId, personId }, holder)
    await deps.store.write([
      { account: { drop: 'member', teamId, personId } },
      ...revokeChanges(deps, { of: 'actor', actor: formatActor(personId, teamId) }),
      auditChange(deps, holder, { what: 'deleteMember', teamId, object: personId, before: { role } }),
    ])
  })
