import { useState } from 'preact/hooks'
import type { Invitation, Role } from '#contract/account.ts'
import type { Client } from '#contract/client.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords, memberWords as words } from '#dashboard/words/en/manage.ts'
import { useAction } from '../../data/action.ts'
import { useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { OnceDialog } from '../../parts/confirmDialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'

const roles: readonly Role[] = ['viewer', 'editor', 'owner']
type Life = keyof typeof words.lives

/** Makes a link by which one person joins, and shows it once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const action = useAction('invitations')
  const [role, setRole] = useState<Role>('editor')
  const [expires, setExpires] = useState<Life>('7d')
  const [url, setUrl] = useState<string>()
  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    const made = await action.run((api) => api.createInvitation({ body: { role, expires } }))
    if (made) setUrl(made.url)
  }
  if (url)
    return <OnceDialog title={words.linkTitle} note={words.linkNote} values={[[words.link, url]]} onClose={onClose} />
  return (
    <Dialog title={words.inviteTitle} onClose={onClose} look="narrow">
      <form class="dialogForm" onSubmit={create}>
        <p class="soft">{words.inviteText}</p>
        <fieldset class="field">
          <legend>{words.role}</legend>
          {roles.map((each) => (
            <label key={each} class="checkRow tall">
              <input type="radio" name="role" checked={role === each} onChange={() => setRole(each)} />
              <span>
                {manageWords.role(each)}
                <small class="soft">{manageWords.roleText(each)}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span>{words.expires}</span>
          <select value={expires} onChange={(event) => setExpires(event.currentTarget.value as Life)}>
            {Object.entries(words.lives).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <ProblemLine error={action.error} />
        <div class="dialogActions">
          <Button onClick={onClose}>{frameWords.cancel}</Button>
          <Button type="submit" look="primary" isBusy={action.isBusy}>
            {words.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const columns = [
  { name: 'role', label: words.role },
  { name: 'since', label: words.since },
  { name: 'ends', label: words.ends },
  { name: 'actions', label: manageWords.actions, isHeadHidden: true },
]

/** The links that nobody has used yet. */
export function Invitations() {
  const reading = useRead(['invitations'], (api: Client) => api.listInvitations())
  const action = useAction('invitations')
  return (
    <Panel title={words.invitations} isFlush>
      <View of={reading} skeleton={<Skeleton rows={1} />}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <p class="soft padded">{words.noInvitations}</p>
          ) : (
            <Cards<Invitation>
              label={words.invitations}
              columns={columns}
              rows={invitations}
              keyOf={({ invitationId }) => invitationId}
              cells={({ invitationId, role, createdAt, expiresAt }) => [
                manageWords.role(role),
                createdAt,
                <Time key="ends" at={expiresAt} look="ago" />,
                <div key="actions" class="rowActions">
                  <Button
                    isSmall
                    isDisabled={action.isBusy}
                    onClick={() => void action.run((api) => api.deleteInvitation({ invitationId }))}
                  >
                    {words.revoke}
                  </Button>
                </div>,
              ]}
            />
          )
        }
      </View>
      <ProblemLine error={action.error} />
    </Panel>
  )
}
