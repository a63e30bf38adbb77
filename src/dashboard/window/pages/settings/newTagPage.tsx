import { useLocation } from 'preact-iso/router'
import { domainOf } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useForm } from '../../data/form.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { FormProblem } from '../../parts/formDialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'

/** Creates a tag, and opens its installation page. */
export default function NewTagPage() {
  const { route } = useLocation()
  const address = useAddress()
  const { why } = useMay('tag:write')
  const { action, draft, change, issues, field } = useForm({ name: '', domain: '' }, ['me'])
  const isReady = draft.name.trim() !== '' && draft.domain.trim() !== ''
  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!isReady || why) return
    const body = { name: draft.name.trim(), domain: domainOf(draft.domain) }
    const tag = await action.run((api) => api.createTag({ body }))
    if (tag) route(address('install', { tagId: tag.tagId }))
  }
  return (
    <>
      <PageHead
        above={<a href={address('team', {})}>{frameWords.title.team}</a>}
        title={frameWords.title.newTag}
        below={words.newIntro}
      />
      <form class="stack narrowForm" onSubmit={create}>
        <Panel title={words.general}>
          <TextField {...field('name')} label={frameWords.name} required />
          <TextField
            {...field('domain')}
            label={words.newDomain}
            help={words.domainHint}
            placeholder={words.domainPlaceholder}
            required
            onBlur={() => change({ domain: domainOf(draft.domain) })}
          />
          <FormProblem error={action.error} issues={issues} />
          <div class="row">
            <LinkButton variant="quiet" href={address('moveIn', {})}>
              {frameWords.title.moveIn}
            </LinkButton>
            <LinkButton variant="quiet" href={address('team', {})}>
              {frameWords.cancel}
            </LinkButton>
            <Button type="submit" variant="primary" why={why} isDisabled={!isReady} isBusy={action.isBusy}>
              {words.create}
            </Button>
          </div>
        </Panel>
      </form>
    </>
  )
}
