import type { AdapterName } from '#contract/adapterNames.ts'
import { linesOf, switchAdapter } from '#dashboard/form/tagForm.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { TagFormState } from './useTagForm.ts'

const names = Object.keys(words.adapters) as AdapterName[]

/** The adapters that pages load with the SDK, and what they do where a page has several. */
export function AdapterFields({ form }: { form: TagFormState }) {
  const chosen = linesOf(form.draft.adapters)
  return (
    <Panel title={words.labels.adapters} note={words.adaptersHint}>
      {names.map((name) => (
        <label key={name} class="checkRow">
          <input
            type="checkbox"
            name={`adapters.${name}`}
            checked={chosen.includes(name)}
            onChange={(event) => form.change(switchAdapter(form.draft, name, event.currentTarget.checked))}
          />
          {words.adapters[name]}
        </label>
      ))}
      {form.issues.adapters && <p class="fieldIssue">{form.issues.adapters}</p>}
      {chosen.length > 0 && (
        <>
          <Field label={words.labels.primaryAdapter} issue={form.issues.primaryAdapter} help={words.primaryHint}>
            {({ id, describedBy, isInvalid }) => (
              <select
                id={id}
                name="primaryAdapter"
                aria-describedby={describedBy}
                aria-invalid={isInvalid}
                value={form.draft.primaryAdapter}
                onChange={(event) => form.change({ primaryAdapter: event.currentTarget.value })}
              >
                <option value="none">{words.noPrimary}</option>
                {names
                  .filter((name) => chosen.includes(name) || name === form.draft.primaryAdapter)
                  .map((name) => (
                    <option key={name} value={name}>
                      {words.adapters[name]}
                    </option>
                  ))}
              </select>
            )}
          </Field>
          <label class="checkRow">
            <input
              type="checkbox"
              name="passEventId"
              checked={form.draft.passEventId}
              onChange={(event) => form.change({ passEventId: event.currentTarget.checked })}
            />
            {words.passEventIdText}
          </label>
        </>
      )}
    </Panel>
  )
}
