// The search of the docs site, bundled by buildSite.ts. It loads the pages at the first query, and shows results above the page.
import { searchManual } from '#http/manualContents.ts'

const { root = '' } = document.currentScript.dataset
const input = document.querySelector('.top input')
const found = document.querySelector('#found')
let pages

function resultRow({ path, title, excerpt }) {
  const [page, anchor] = path.split('#')
  const link = document.createElement('a')
  link.textContent = title
  link.href = `${root}${page}.html${anchor === undefined ? '' : `#${anchor}`}`
  const row = document.createElement('li')
  row.append(link, document.createElement('br'), excerpt)
  return row
}

function resultList(results) {
  const list = document.createElement(results.length > 0 ? 'ul' : 'p')
  if (results.length > 0) list.append(...results.map(resultRow))
  else list.textContent = 'No page of the manual contains all of these words.'
  return list
}

async function show() {
  const query = input.value.trim()
  pages ??= fetch(`${root}search.json`).then((answer) => answer.json())
  const results = searchManual(await pages, query)
  if (query !== input.value.trim()) return // a later query shows its own results
  found.replaceChildren(...(query === '' ? [] : [resultList(results)]))
}

input.form.addEventListener('submit', (event) => {
  event.preventDefault()
  void show()
})
input.addEventListener('input', () => void show())
