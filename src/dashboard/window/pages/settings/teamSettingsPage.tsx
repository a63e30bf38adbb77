import { useState } from 'preact/hooks'
import type { Team } from '#contract/team.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useForm } from '../../data/form.ts'
import { useHere, useMay, useRead } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { Facts } from '../../parts/code.tsx'
import { FormProblem } from '../../parts/formDialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Skeleton, View } from '../../parts/view.tsx'

function TeamFacts({ team }: { team: Team }) {
  const { session } = useHere()
  const role = session.teams.find(({ teamId }) => teamId === team.teamId)?.role
  return (
    <Facts
      of={[
        [
          words.teamId,
          <span key="id" class="line">
            <code>{team.teamId}</code>
            <CopyButton text={team.teamId} />
          </span>,
        ],
        [frameWords.created, team.createdAt],
        role && [words.yourRole, manageWords.role(role)],
      ]}
    />
  )
}

function TeamForm({ team }: { team: Team }) {
  const { environment } = useHere()
  const { why } = useMay('application:write')
  const { action, draft, issues, field } = useForm({ name: team.name }, ['team'])
  const [saved, setSaved] = useState<string>()
  const name = draft.name.trim()
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    if (why || name === team.name || !(await action.run((api) => api.updateTeam({ body: { name } })))) return
    setSaved(draft.name)
    await queries.invalidateQueries({ queryKey: [environment, 'session'] })
  }
  return (
    <form class="stack narrowForm" onSubmit={save}>
      <Panel title={words.general}>
        <TextField {...field('name')} label={words.teamName} readOnly={why !== undefined} maxLength={200} />
        <TeamFacts team={team} />
        <FormProblem error={action.error} issues={issues} />
        <div class="row">
          <Button
            type="submit"
            variant="primary"
            why={why}
            isBusy={action.isBusy}
            isDisabled={name === '' || name === team.name}
          >
            {frameWords.save}
          </Button>
          <span class="saved" role="status">
            {saved === draft.name ? frameWords.saved : ''}
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
      <PageHead title={frameWords.title.teamSettings} />
      <View of={reading} skeleton={<Skeleton rows={3} />}>
        {(team) => <TeamForm team={team} />}
      </View>
    </>
  )
}
