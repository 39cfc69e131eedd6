/** Chooses what the palette lists for a search text, in sections with a title each. */
import { pluralize } from '../lib/format.ts'
import { can } from '../lib/team.ts'
import { createCommandItem, createTargetItem, listAllowedCommands, listPageItems } from './commands.ts'
import { foldText } from './fuzzy.ts'
import type { PaletteItem, TargetCommand } from './item.ts'
import { addMonitorItem, addWebsiteItem, createSampleItem, listAddItems, listPageAndAccountItems } from './items.ts'
import { createSearchEntries, type SearchEntry, type SearchResult, searchItems } from './search.ts'

export interface PaletteSection {
  title: string
  results: readonly SearchResult<PaletteItem>[]
}

export interface PaletteList {
  sections: readonly PaletteSection[]
  /** Announced by screen readers. */
  summary: string
  /** Whether nothing was found. The sections may still contain suggestions. */
  isEmpty: boolean
}

export interface PaletteIndex {
  fixedItems: readonly PaletteItem[]
  records: readonly PaletteItem[]
  entries: readonly SearchEntry<PaletteItem>[]
}

export interface PaletteQuery {
  text: string
  recentIds: readonly string[]
  /** The path of the page below the palette. */
  path: string
}

/** Nobody reads more rows than this. A longer search text finds the others. */
const MAX_RESULTS = 30
const MAX_RECENT = 5
const MAX_SUGGESTIONS = 5
const MAX_COMMAND_TARGETS = 8

export function createPaletteIndex(records: readonly PaletteItem[]): PaletteIndex {
  const fixedItems = [
    ...listAddItems(),
    ...listAllowedCommands().map(createCommandItem),
    ...(can('edit') ? [createSampleItem(records)] : []),
    ...listPageAndAccountItems(),
  ]
  return { fixedItems, records, entries: createSearchEntries([...fixedItems, ...records]) }
}

const toSection = (title: string, items: readonly PaletteItem[]): PaletteSection => ({
  title,
  results: items.map((item) => ({ item, score: 0, ranges: [] })),
})

/** Lists what the user probably wants before they type a search text. */
export function listSuggestions({ fixedItems, records }: PaletteIndex, { recentIds, path }: PaletteQuery): PaletteList {
  const itemsById = new Map([...fixedItems, ...records].map((item) => [item.id, item]))
  const recentItems = recentIds.flatMap((id) => itemsById.get(id) ?? []).slice(0, MAX_RECENT)
  const recentItemSet = new Set(recentItems)
  const takeUnlistedItems = (items: readonly PaletteItem[], count = items.length) =>
    items.filter((item) => !recentItemSet.has(item)).slice(0, count)
  const isDown = ({ icon }: PaletteItem) => 'monitor' in icon && icon.monitor.status === 'down'
  const sections = [
    toSection('Recent', recentItems),
    toSection('On this page', listPageItems(path, records)),
    toSection('Down now', takeUnlistedItems(records.filter(isDown), MAX_SUGGESTIONS)),
    toSection('Actions', takeUnlistedItems(fixedItems.filter(({ group }) => group === 'Actions'))),
    toSection('Pages', takeUnlistedItems(fixedItems.filter(({ group }) => group === 'Pages'))),
  ]
  return { sections: sections.filter(({ results }) => results.length > 0), summary: '', isEmpty: false }
}

export function searchPalette(index: PaletteIndex, { text, recentIds }: PaletteQuery): PaletteList {
  const results = [...searchItems(index.entries, text, recentIds), ...searchCommands(index, text)]
  if (results.length === 0) {
    const suggestions = toSection('Suggestions', can('edit') ? [addWebsiteItem, addMonitorItem] : [])
    return {
      sections: suggestions.results.length > 0 ? [suggestions] : [],
      summary: describeCount(0, text),
      isEmpty: true,
    }
  }
  const shownResults = results.slice(0, MAX_RESULTS)
  const titles = [...new Set(shownResults.map(({ item }) => item.group))]
  const sections = titles.map((title) => ({ title, results: shownResults.filter(({ item }) => item.group === title) }))
  return { sections, summary: describeCount(results.length, text), isEmpty: false }
}

/** Finds commands for one website or monitor: “pause shop” finds “Pause Web shop”. */
function searchCommands({ entries }: PaletteIndex, text: string): SearchResult<PaletteItem>[] {
  const [verb = '', ...targetTerms] = foldText(text.trim()).split(/\s+/)
  if (verb.length < 2 || targetTerms.length === 0) return []
  const commands = listAllowedCommands().filter((command) => foldText(command.verb).startsWith(verb))
  if (commands.length === 0) return []
  const records = searchItems(entries, targetTerms.join(' '), []).map(({ item }) => item)
  return commands.flatMap((command) => {
    const items = records.flatMap((record) => createTargetItem(command, record, true) ?? [])
    return searchItems(createSearchEntries(items.slice(0, MAX_COMMAND_TARGETS)), text, [])
  })
}

/** Finds the websites or monitors that the command can be applied to. */
export function searchTargets(index: PaletteIndex, command: TargetCommand, { text }: PaletteQuery): PaletteList {
  const records = text.trim() === '' ? toSection('', index.records).results : searchItems(index.entries, text, [])
  const results = records.flatMap((result) => {
    const item = createTargetItem(command, result.item, false)
    return item === undefined ? [] : [{ ...result, item }]
  })
  const section = { title: command.label.replace(/…$/, ''), results: results.slice(0, MAX_RESULTS) }
  const isEmpty = results.length === 0
  return { sections: isEmpty ? [] : [section], summary: describeCount(results.length, text), isEmpty }
}

const describeCount = (count: number, text: string) =>
  count === 0 ? `No results${text.trim() === '' ? '' : ` for “${text.trim()}”`}` : pluralize(count, 'result')
