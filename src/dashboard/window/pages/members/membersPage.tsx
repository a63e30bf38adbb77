import { UserPlus } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Member, Role } from '#contract/account.ts'
import type { Client } from '#contract/client.ts'
import { basePath } from '#dashboard/addresses.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords, memberWords as words } from '#dashboard/words/en/manage.ts'
import { useAction } from '../../data/action.ts'
import { useMembers } from '../../data/actors.ts'
import { useHere, useMay, useRead } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirmDialog.tsx'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Options, Radios, SelectField, TextField } from '../../parts/inputs.tsx'
import { ListPanel, RowsPanel } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'

/** Makes an invitation link for one person, and shows it once. */
const InviteDialog = ({ onClose }: { onClose: () => void }) => (
  <FormDialog
    title={words.inviteTitle}
    label={words.create}
    isNarrow
    start={{ role: 'editor' as Role, expires: '7d', email: '' }}
    changes={['invitations']}
    call={(api, { email, ...invitation }) =>
      api.createInvitation({ body: { ...invitation, ...(email.trim() && { email: email.trim() }) } })
    }
    onceOf={({ url, isMailed }) => ({
      title: words.linkTitle,
      note: isMailed ? words.linkMailed : words.linkNote,
      values: [[words.link, url]],
    })}
    onClose={onClose}
  >
    {({ field }) => (
      <>
        <p class="soft">{words.inviteText}</p>
        <Radios
          {...field('role')}
          legend={words.role}
          variant="tall"
          values={['viewer', 'editor', 'owner']}
          wordOf={(each) => (
            <>
              {manageWords.role(each)}
              <small class="soft">{manageWords.roleText[each]}</small>
            </>
          )}
        />
        <TextField {...field('email')} label={frameWords.email} help={words.emailHint} type="email" />
        <SelectField {...field('expires')} label={words.expires} options={Object.entries(words.lives)} />
      </>
    )}
  </FormDialog>
)

/** The links that have not been used yet. */
function Invitations() {
  const reading = useRead(['invitations'], (api) => api.listInvitations())
  const action = useAction('invitations')
  const revoke = (invitationId: string) => void action.run((api) => api.deleteInvitation({ invitationId }))
  return (
    <ListPanel
      title={words.invitations}
      of={reading}
      rowsOf={({ invitations }) => invitations}
      none={words.noInvitations}
      foot={<ProblemLine error={action.error} />}
      columns={[
        { name: 'role', label: words.role, cell: ({ role }) => manageWords.role(role) },
        { name: 'since', label: frameWords.since, cell: ({ createdAt }) => createdAt },
        { name: 'ends', label: frameWords.ends, cell: ({ expiresAt }) => <Time at={expiresAt} format="ago" /> },
      ]}
      rowActions={({ invitationId }) => (
        <Button isSmall isDisabled={action.isBusy} onClick={() => revoke(invitationId)}>
          {frameWords.revoke}
        </Button>
      )}
      keyOf={({ invitationId }) => invitationId}
    />
  )
}

const roles: readonly Role[] = ['owner', 'editor', 'viewer']
/** What is being confirmed: a new role, or the removal. */
type Asked = { member: Member; role?: Role }

function RoleSelect({ member, onChoose }: { member: Member; onChoose: (role: Role) => void }) {
  const { may, why } = useMay('application:write')
  if (!may) return <span title={why}>{manageWords.role(member.role)}</span>
  return (
    <select
      class="roleSelect"
      aria-label={words.changeRole(member.name)}
      value={member.role}
      onChange={(event) => {
        onChoose(event.currentTarget.value as Role)
        // Keep showing the old role until the change is confirmed and saved.
        event.currentTarget.value = member.role
      }}
    >
      <Options of={roles.map((role) => [role, manageWords.role(role)])} />
    </select>
  )
}

function AskDialog({ asked: { member, role }, onClose }: { asked: Asked; onClose: () => void }) {
  const { environment, session } = useHere()
  const { route } = useLocation()
  const { personId, name } = member
  const isOwn = personId === session.person.personId
  const call = async (api: Client) => {
    await (role ? api.updateMember({ personId, body: { role } }) : api.deleteMember({ personId }))
  }
  const leave = async () => {
    if (isOwn) await queries.invalidateQueries({ queryKey: [environment, 'session'] })
    if (isOwn && !role) route(basePath(environment))
  }
  return (
    <ConfirmDialog
      title={role ? words.changeTitle(name, role) : words.removeTitle(name)}
      label={role ? words.change : isOwn ? words.leave : frameWords.remove}
      variant={role ? 'primary' : 'danger'}
      changes={['members', 'me']}
      call={call}
      onDone={leave}
      onClose={onClose}
    >
      {role && <p>{manageWords.roleText[role]}.</p>}
      <p>{role ? words.changeText : words.removeText}</p>
    </ConfirmDialog>
  )
}

function Members({ members }: { members: readonly Member[] }) {
  const { session } = useHere()
  const { why } = useMay('application:write')
  const [asked, setAsked] = useState<Asked>()
  const isOwn = ({ personId }: Member) => personId === session.person.personId
  const personCell = (member: Member) => (
    <>
      <bdi>{member.name}</bdi> {isOwn(member) && <span class="chip">{words.you}</span>}
      <small class="soft">{member.email}</small>
    </>
  )
  const roleCell = (member: Member) => (
    <RoleSelect member={member} onChoose={(role) => role !== member.role && setAsked({ member, role })} />
  )
  return (
    <RowsPanel
      title={words.members(members.length)}
      label={frameWords.title.members}
      columns={[
        { name: 'person', label: words.person, cell: personCell },
        { name: 'role', label: words.role, cell: roleCell },
        { name: 'since', label: frameWords.since, cell: ({ createdAt }) => createdAt },
      ]}
      rowActions={(member) => (
        <Button isSmall why={why} onClick={() => setAsked({ member })}>
          {isOwn(member) ? words.leave : frameWords.remove}
        </Button>
      )}
      rows={members}
      keyOf={({ personId }) => personId}
      foot={asked && <AskDialog asked={asked} onClose={() => setAsked(undefined)} />}
    />
  )
}

/** The people of the team with their roles, and the invitations. */
export default function MembersPage() {
  const members = useMembers()
  const { may, why } = useMay('application:write')
  const [isInviting, setInviting] = useState(location.hash === '#invite')
  return (
    <>
      <PageHead
        title={frameWords.title.members}
        below={words.intro}
        actions={
          <Button variant="primary" icon={UserPlus} why={why} onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        }
      />
      <View of={members} skeleton={<Skeleton rows={4} />}>
        {(data) => <Members members={data.members} />}
      </View>
      {may && <Invitations />}
      {isInviting && may && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  )
}
