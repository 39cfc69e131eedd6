/**
 * Password fields of pages that the server renders itself. The field works without script. The script adds a button that
 * shows and hides what the user has typed.
 */
import { createHash } from 'node:crypto'

/** Before the form is sent, the field becomes a password again, so that browsers don't store its value as a text. */
const code = `for(const field of document.querySelectorAll(".secret")){const[input,button]=field.children,word=button.firstChild,show=isShown=>{input.type=isShown?"text":"password";word.data=isShown?"Hide":"Show"};button.hidden=false;button.onclick=()=>show(input.type=="password");input.form.addEventListener("submit",()=>show(false))}`

export const passwordScript = {
  /** Put it at the end of the page. */
  html: `<script>${code}</script>`,
  /** For the Content-Security-Policy, with quotes. */
  hash: `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
}

/** `inputHtml` is the input element. The button is hidden until the script runs, and has its place from the beginning. */
export const renderPasswordField = (inputHtml: string) =>
  `<span class="secret">${inputHtml}<button type="button" hidden>Show<span class="hidden"> password</span></button></span>`
