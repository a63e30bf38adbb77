import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export type CodeMark = { line: number; message: string }
type CodeEditorOptions = {
  text: string
  label: string
  describedBy: string
  onChange(text: string): void
  onRun(): void
}

const theme = EditorView.theme({
  '&': { fontSize: '12px', color: 'var(--ink)', backgroundColor: 'var(--card)', maxBlockSize: '520px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '18px', minBlockSize: '280px' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderInlineStartColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--soft)', borderColor: 'var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 24%, transparent) !important',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', borderColor: 'var(--line)' },
})

/** The colours of the theme, which have enough contrast on a card in light and dark. */
const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--accent)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--good)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.number, color: 'var(--bad)' },
])

/** The diagnostic of an error, over its whole line. A line after the end of the text becomes the last one. */
function diagnosticOf(state: EditorState, { line, message }: CodeMark): Diagnostic {
  const { from, to } = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines))
  return { from, to, severity: 'error', message }
}

/**
 * Opens an editor in a shadow root, where its styles are constructed style sheets, which the Content-Security-Policy
 * allows without a nonce. Tab leaves the editor, so that it does not trap the keyboard.
 */
export function openCodeEditor(host: HTMLElement, { text, label, describedBy, onChange, onRun }: CodeEditorOptions) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        syntaxHighlighting(highlight),
        javascript(),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-description': describedBy }),
        keymap.of([
          {
            key: 'Ctrl-Enter',
            mac: 'Cmd-Enter',
            run: () => {
              onRun()
              return true
            },
          },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
      ],
    }),
  })
  return {
    mark(mark: CodeMark | undefined) {
      view.dispatch(setDiagnostics(view.state, mark ? [diagnosticOf(view.state, mark)] : []))
      if (mark) view.dispatch({ effects: EditorView.scrollIntoView(diagnosticOf(view.state, mark).from) })
    },
    close: () => view.destroy(),
  }
}

export type CodeEditorHandle = ReturnType<typeof openCodeEditor>
