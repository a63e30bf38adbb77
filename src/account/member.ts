import type { Role, Member as ShownMember } from '#contract/account.ts'
import { fault } from '#contract/fault.ts'
import { fullDate } from '#kit/date.ts'
import { turns } from '#kit/turns.ts'
import type { Member, Person } from '#store/accounts.ts'
import type { Change } from '#store/store.ts'
import type { Keyring } from './keyring.ts'
import { profileOf } from './person.ts'
import { type Holder, refuseEscalation } from './privilege.ts'
import { scopesOf } from './role.ts'
import { type AccountWorld, auditOf } from './world.ts'

/** Who grants an application something: a person for a team. */
export const actorOf = (personId: string, teamId: string) => `${personId}/${teamId}`

/** The person and the team of an actor. */
export function partsOf(actor: string): { personId: string; teamId: string } {
  const [personId = '', teamId = ''] = actor.split('/')
  return { personId, teamId }
}

/** The person's role in the team; the operator is an owner everywhere. */
export async function roleIn({ store }: AccountWorld, person: Person, teamId: string): Promise<Role | undefined> {
  if (person.role === 'operator') return (await store.team(teamId)) && 'owner'
  return (await store.accounts.member(teamId, person.personId))?.role
}

export type Membership = { teamId: string; name: string; role: Role }

/** The teams that a person may act for. */
export async function membershipsOf({ store }: AccountWorld, person: Person): Promise<Membership[]> {
  if (person.role === 'operator')
    return (await store.teams()).map(({ teamId, name }) => ({ teamId, name, role: 'owner' }))
  const members = await store.accounts.memberships(person.personId)
  const named = members.map(async ({ teamId, role }) => ({
    teamId,
    name: (await store.team(teamId))?.name ?? '',
    role,
  }))
  return Promise.all(named)
}

/** Ends what somebody has granted to applications, at once. */
export function endGrants(actor: string, at: number): Change[] {
  const ending = { of: 'actor', actor } as const
  return [{ account: { revoke: 'tokens', ending, at } }, { account: { drop: 'artifacts', ending } }]
}

export const showMember = ({ role, createdAt }: Member, person: Person, keys: Keyring): ShownMember => ({
  personId: person.personId,
  ...profileOf(person, keys),
  role,
  createdAt: fullDate(createdAt),
})

async function needPerson({ store }: AccountWorld, personId: string): Promise<Person> {
  const person = await store.accounts.person(personId)
  if (!person) throw new Error(`${personId} is a member and no person.`)
  return person
}

export async function membersOf(on: AccountWorld, teamId: string): Promise<ShownMember[]> {
  const members = await on.store.accounts.members(teamId)
  return Promise.all(members.map(async (member) => showMember(member, await needPerson(on, member.personId), on.keys)))
}

/** Changes of a team's people are made one after the other, so that the last two owners cannot leave at once. */
const inTurn = turns()

type MemberChange = { what: string; teamId: string; personId: string; role?: Role }

/**
 * The member, if the holder has every scope of their role and of the one that they get, and the team keeps an owner.
 * Throws memberUnknown, scopeMissing and lastOwner.
 */
async function memberToChange(on: AccountWorld, { what, teamId, personId, role }: MemberChange, holder: Holder) {
  const members = await on.store.accounts.members(teamId)
  const member = members.find((each) => each.personId === personId)
  if (!member) throw fault('memberUnknown')
  const needed = [...scopesOf(member.role), ...(role ? scopesOf(role) : [])]
  await refuseEscalation(on, needed, holder, { what, teamId, object: personId })
  const others = members.some((each) => each.role === 'owner' && each.personId !== personId)
  if (member.role === 'owner' && role !== 'owner' && !others) throw fault('lastOwner')
  return member
}

/** Gives a member another role. Throws memberUnknown, scopeMissing and lastOwner. */
export const changeRole = (
  on: AccountWorld,
  { teamId, personId, role }: { teamId: string; personId: string; role: Role },
  holder: Holder,
): Promise<ShownMember> =>
  inTurn(teamId, async () => {
    const member = await memberToChange(on, { what: 'updateMember', teamId, personId, role }, holder)
    const row = { ...member, role }
    const change = { what: 'updateMember', teamId, object: personId, before: { role: member.role }, after: { role } }
    await on.store.write([
      { account: { put: 'member', row } },
      ...endGrants(actorOf(personId, teamId), on.clock.now()),
      auditOf(on, holder, change),
    ])
    return showMember(row, await needPerson(on, personId), on.keys)
  })

/** Takes a member out of the team. Throws memberUnknown, scopeMissing and lastOwner. */
export const removeMember = (on: AccountWorld, teamId: string, personId: string, holder: Holder): Promise<void> =>
  inTurn(teamId, async () => {
    const { role } = await memberToChange(on, { what: 'deleteMember', teamId, personId }, holder)
    await on.store.write([
      { account: { drop: 'member', teamId, personId } },
      ...endGrants(actorOf(personId, teamId), on.clock.now()),
      auditOf(on, holder, { what: 'deleteMember', teamId, object: personId, before: { role } }),
    ])
  })
