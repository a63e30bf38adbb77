import {
  switchPurpose,
  type TcfList,
  tcfCategories,
  tcfChoiceIn,
  tcfInterestIds,
  tcfPurposeIds,
  tcfText,
} from '#dashboard/form/tcfForm.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { whySentWords } from '#dashboard/words/en/whySent.ts'
import { CheckRow, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { TagFormState } from './useTagForm.ts'

type PurposesProps = { form: TagFormState; list: TcfList; ids: readonly number[] }

/** A list of purposes, each of which is in it or not. */
function Purposes({ form, list, ids }: PurposesProps) {
  const chosen = tcfChoiceIn(form.draft.tcf)[list]
  return (
    <fieldset class="field">
      <legend>{words.tcfLists[list]}</legend>
      <div class="radios">
        {ids.map((id) => (
          <CheckRow
            key={id}
            name={`tcf.${list}.${id}`}
            label={whySentWords.purpose(id)}
            value={chosen.includes(id)}
            onChange={(isOn) => form.change({ tcf: switchPurpose(form.draft.tcf, { list, id, isOn }) })}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** What a TC string has to allow. Closed, as most tags keep the defaults. */
export function TcfFields({ form }: { form: TagFormState }) {
  const choice = tcfChoiceIn(form.draft.tcf)
  const change = (next: Partial<typeof choice>) => form.change({ tcf: tcfText({ ...choice, ...next }) })
  return (
    <Panel title={words.labels.tcf} note={words.tcfHint}>
      <details open={form.issues.tcf !== undefined}>
        <summary>{words.tcfShow}</summary>
        <div class="stack">
          {tcfCategories.map((list) => (
            <Purposes key={list} form={form} list={list} ids={tcfPurposeIds} />
          ))}
          <Purposes form={form} list="interest" ids={tcfInterestIds} />
          <CheckRow
            name="tcf.requireVendor"
            label={words.tcfVendor}
            value={choice.requireVendor}
            onChange={(requireVendor) => change({ requireVendor })}
          />
          <TextField
            name="tcf.maxAgeDays"
            label={words.tcfDays}
            help={words.tcfDaysHint}
            issue={form.issues.tcf}
            inputMode="decimal"
            value={choice.maxAgeDays}
            onChange={(maxAgeDays) => change({ maxAgeDays })}
          />
        </div>
      </details>
    </Panel>
  )
}
