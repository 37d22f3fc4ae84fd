import { hrefOf } from '#app/core/text/rich-text.ts'

/** A text area's text, of which the part from `start` to `end` is selected. */
export interface TextSelection {
  text: string
  start: number
  end: number
}

/** Words of a new mark for which no words are selected. */
const PLACEHOLDER_TEXT = 'palabras'

const replaceSelection = ({ text, start, end }: TextSelection, replacement: string) =>
  text.slice(0, start) + replacement + text.slice(end)

/** Returns the selection without the blanks at its ends, since `parseRichText` ignores a mark that touches a blank. */
function trimSelection({ text, start, end }: TextSelection): TextSelection {
  const selectedText = text.slice(start, end)
  const trimmedStart = start + (selectedText.length - selectedText.trimStart().length)
  return {
    text,
    start: Math.min(trimmedStart, end),
    end: Math.max(trimmedStart, start + selectedText.trimEnd().length),
  }
}

/** Makes the selected words bold, line by line, or bold words plain again. */
export function withBold(selection: TextSelection): TextSelection {
  const trimmedSelection = trimSelection(selection)
  const { text, start, end } = trimmedSelection
  if (start < end && text.slice(start - 2, start) === '**' && text.slice(end, end + 2) === '**')
    return {
      text: text.slice(0, start - 2) + text.slice(start, end) + text.slice(end + 2),
      start: start - 2,
      end: end - 2,
    }
  const boldText = (text.slice(start, end) || PLACEHOLDER_TEXT).replace(/[^\n]*[^\s][^\n]*/g, (line) =>
    line.replace(/\S.*\S|\S/, (markedText) => `**${markedText}**`),
  )
  return { text: replaceSelection(trimmedSelection, boldText), start: start + 2, end: start + boldText.length - 2 }
}

const LIST_HYPHEN = /^[-–•]\s+/

/** Makes list items of the lines that the selection touches, or plain lines of list items. */
export function withList({ text, start, end }: TextSelection): TextSelection {
  const listStart = text.lastIndexOf('\n', start - 1) + 1
  const lineEnd = text.indexOf('\n', end)
  const listEnd = lineEnd === -1 ? text.length : lineEnd
  const lines = text.slice(listStart, listEnd).split('\n')
  const isList = lines.every((line) => LIST_HYPHEN.test(line))
  const newLines = lines
    .map((line) =>
      isList
        ? line.replace(LIST_HYPHEN, '')
        : line.trim() === '' && lines.length > 1
          ? line
          : `- ${line.replace(LIST_HYPHEN, '')}`,
    )
    .join('\n')
  const caret = listStart + newLines.length
  return { text: replaceSelection({ text, start: listStart, end: listEnd }, newLines), start: caret, end: caret }
}

/**
 * Makes a link of the selection: of words, and then selects its URL, which the person pastes over; or of a URL, and then
 * selects its words.
 */
export function withLink(selection: TextSelection): TextSelection {
  const trimmedSelection = trimSelection(selection)
  const selectedText = trimmedSelection.text.slice(trimmedSelection.start, trimmedSelection.end).replaceAll('\n', ' ')
  const isUrl = /^\S+[./]\S+$/.test(selectedText) && hrefOf(selectedText) !== undefined
  const [linkText, url] = isUrl ? [PLACEHOLDER_TEXT, selectedText] : [selectedText || PLACEHOLDER_TEXT, 'https://']
  const start = trimmedSelection.start + (isUrl ? 1 : linkText.length + 3)
  return {
    text: replaceSelection(trimmedSelection, `[${linkText}](${url})`),
    start,
    end: start + (isUrl ? linkText : url).length,
  }
}
