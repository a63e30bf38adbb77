import type { Role } from '#contract/account.ts'
import { manageWords, memberWords as words } from '#dashboard/words/en/manage.ts'
import { useAction } from '../../data/action.ts'
import { useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Radios, SelectField, TextField } from '../../parts/inputs.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine } from '../../parts/view.tsx'

/** Makes a link by which one person joins, and shows it once. */
export const InviteDialog = ({ onClose }: { onClose: () => void }) => (
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
          look="tall"
          values={['viewer', 'editor', 'owner']}
          wordOf={(each) => (
            <>
              {manageWords.role(each)}
              <small class="soft">{manageWords.roleText(each)}</small>
            </>
          )}
        />
        <TextField {...field('email')} label={words.email} help={words.emailHint} type="email" />
        <SelectField {...field('expires')} label={words.expires} options={Object.entries(words.lives)} />
      </>
    )}
  </FormDialog>
)

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
      columns={[
        { name: 'role', label: words.role, cell: ({ role }) => manageWords.role(role) },
        { name: 'since', label: words.since, cell: ({ createdAt }) => createdAt },
        { name: 'ends', label: words.ends, cell: ({ expiresAt }) => <Time at={expiresAt} look="ago" /> },
      ]}
      rowActions={({ invitationId }) => (
        <Button isSmall isDisabled={action.isBusy} onClick={() => revoke(invitationId)}>
          {words.revoke}
        </Button>
      )}
      keyOf={({ invitationId }) => invitationId}
    />
  )
}
