import { useState } from 'preact/hooks'
import type { Team } from '#contract/team.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useAction } from '../../data/action.ts'
import { useHere, useMay, useRead } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { Facts } from '../../parts/code.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'

function TeamFacts({ team }: { team: Team }) {
  const { session } = useHere()
  const role = session.teams.find(({ teamId }) => teamId === team.teamId)?.role
  return (
    <Facts
      of={[
        [
          words.teamId,
          <span key="id" class="stateLine">
            <code>{team.teamId}</code>
            <CopyButton text={team.teamId} />
          </span>,
        ],
        [words.created, team.createdAt],
        role && [words.yourRole, manageWords.role(role)],
      ]}
    />
  )
}

function TeamForm({ team }: { team: Team }) {
  const { environment } = useHere()
  const { why } = useMay('application:write')
  const action = useAction('team')
  const [name, setName] = useState(team.name)
  const [isSaved, setSaved] = useState(false)
  const issue = action.issues('name').name
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    if (why || name.trim() === team.name) return
    if (!(await action.run((api) => api.updateTeam({ body: { name: name.trim() } })))) return
    setSaved(true)
    await queries.invalidateQueries({ queryKey: [environment, 'session'] })
  }
  return (
    <form class="stack narrowForm" onSubmit={save}>
      <Panel title={words.general}>
        <TextField
          label={words.teamName}
          issue={issue}
          readOnly={why !== undefined}
          maxLength={200}
          value={name}
          onChange={(text) => {
            setName(text)
            setSaved(false)
          }}
        />
        <TeamFacts team={team} />
        {!issue && <ProblemLine error={action.error} />}
        <div class="formFoot">
          <Button
            type="submit"
            look="primary"
            why={why}
            isBusy={action.isBusy}
            isDisabled={name.trim() === '' || name.trim() === team.name}
          >
            {manageWords.save}
          </Button>
          <span class="saved" role="status">
            {isSaved ? words.teamSaved : ''}
          </span>
        </div>
      </Panel>
    </form>
  )
}

/** The name of the team. */
export default function TeamSettingsPage() {
  const reading = useRead(['team'], (api) => api.readTeam())
  return (
    <>
      <PageHead title={frameWords.title('teamSettings')} />
      <View of={reading} skeleton={<Skeleton rows={3} />}>
        {(team) => <TeamForm team={team} />}
      </View>
    </>
  )
}
