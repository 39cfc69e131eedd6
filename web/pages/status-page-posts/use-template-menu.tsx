/** A menu that inserts a text into a post: one text for each state, and the user's own templates. */
import { LayoutTemplate, ListX, Save } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { PostState } from '../../../src/shared/status-pages.ts'
import { Menu, MenuItem, MenuNote, MenuSeparator } from '../../components/menu.tsx'
import { postStateChoices, usePostTemplates } from '../../lib/status-posts.ts'
import { showToast } from '../../lib/toasts.ts'
import { createStarterBody } from './starters.ts'
import { ManageTemplatesDialog, SaveTemplateDialog } from './template-dialogs.tsx'

export interface PostTexts {
  title: string
  state: PostState
  body: string
}

interface TemplateMenuOptions {
  texts: PostTexts
  /** Labels of the affected monitors. */
  labels: readonly string[]
  onApply: (texts: PostTexts) => void
}

/** The caller must render `menu` in its form and `dialog` outside of it, because forms can't be nested. */
export function useTemplateMenu({ texts, labels, onApply }: TemplateMenuOptions) {
  const [openDialog, setOpenDialog] = useState<'save' | 'manage'>()
  const templates = usePostTemplates().data ?? []
  const isComplete = texts.title.trim() !== '' && texts.body.trim() !== ''
  const close = () => setOpenDialog(undefined)

  function apply(next: PostTexts, name: string) {
    onApply(next)
    // Undo restores the text that the template replaced.
    if (texts.body.trim() !== '') showToast(`${name} inserted.`, { undo: () => onApply(texts) })
  }

  const menu = (
    <Menu small align="end" icon={LayoutTemplate} label="Templates">
      <MenuNote>Text for a state</MenuNote>
      {postStateChoices.map(({ value: state, label, icon }) => (
        <MenuItem
          key={state}
          icon={icon}
          onSelect={() => apply({ ...texts, state, body: createStarterBody(state, labels) }, label)}
        >
          {label}
        </MenuItem>
      ))}
      {templates.length > 0 && <MenuSeparator />}
      {templates.length > 0 && <MenuNote>Your templates</MenuNote>}
      {templates.map(({ id, name, title, state, body }) => (
        <MenuItem key={id} icon={LayoutTemplate} onSelect={() => apply({ title, state, body }, name)}>
          {name}
        </MenuItem>
      ))}
      <MenuSeparator />
      {isComplete ? (
        <MenuItem icon={Save} onSelect={() => setOpenDialog('save')}>
          Save as template…
        </MenuItem>
      ) : (
        <MenuNote>To save a template, write a title and a text first.</MenuNote>
      )}
      {templates.length > 0 && (
        <MenuItem icon={ListX} onSelect={() => setOpenDialog('manage')}>
          Delete templates…
        </MenuItem>
      )}
    </Menu>
  )
  const dialog = (
    <>
      {openDialog === 'save' && <SaveTemplateDialog texts={texts} templates={templates} onClose={close} />}
      {openDialog === 'manage' && <ManageTemplatesDialog templates={templates} onClose={close} />}
    </>
  )
  return { menu, dialog }
}
