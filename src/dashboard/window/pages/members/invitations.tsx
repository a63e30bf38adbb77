import { useState } from 'preact/hooks'
import type { Role } from '#contract/account.ts'
import { manageWords, memberWords as words } from '#dashboard/words/en/manage.ts'
import { useAction } from '../../data/action.ts'
import { useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Radios, SelectField, TextField } from '../../parts/inputs.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine } from '../../parts/view.tsx'

/** Makes a link by which one person joins, and shows it once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const action = useAction('invitations')
  const [role, setRole] = useState<Role>('editor')
  const [expires, setExpires] = useState<keyof typeof words.lives>('7d')
  const [email, setEmail] = useState('')
  const [made, setMade] = useState<{ url: string; isMailed?: boolean | undefined }>()
  const create = async () => {
    const to = email.trim() ? { email: email.trim() } : {}
    const created = await action.run((api) => api.createInvitation({ body: { role, expires, ...to } }))
    if (created) setMade(created)
  }
  return (
    <FormDialog
      title={words.inviteTitle}
      label={words.create}
      isNarrow
      action={action}
      once={
        made && {
          title: words.linkTitle,
          note: made.isMailed ? words.linkMailed : words.linkNote,
          values: [[words.link, made.url]],
        }
      }
      onSubmit={create}
      onClose={onClose}
    >
      <p class="soft">{words.inviteText}</p>
      <Radios
        legend={words.role}
        name="role"
        look="tall"
        values={['viewer', 'editor', 'owner']}
        value={role}
        wordOf={(each) => (
          <>
            {manageWords.role(each)}
            <small class="soft">{manageWords.roleText(each)}</small>
          </>
        )}
        onChange={setRole}
      />
      <TextField
        label={words.email}
        help={words.emailHint}
        name="email"
        type="email"
        autocomplete="off"
        value={email}
        onChange={setEmail}
      />
      <SelectField label={words.expires} options={Object.entries(words.lives)} value={expires} onChange={setExpires} />
    </FormDialog>
  )
}

/** The links that nobody has used yet. */
export function Invitations() {
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
    >
      {(rows) => (
        <Cards
          label={words.invitations}
          columns={[
            { name: 'role', label: words.role, cell: ({ role }) => manageWords.role(role) },
            { name: 'since', label: words.since, cell: ({ createdAt }) => createdAt },
            { name: 'ends', label: words.ends, cell: ({ expiresAt }) => <Time at={expiresAt} look="ago" /> },
          ]}
          actions={({ invitationId }) => (
            <Button isSmall isDisabled={action.isBusy} onClick={() => revoke(invitationId)}>
              {words.revoke}
            </Button>
          )}
          rows={rows}
          keyOf={({ invitationId }) => invitationId}
        />
      )}
    </ListPanel>
  )
}
