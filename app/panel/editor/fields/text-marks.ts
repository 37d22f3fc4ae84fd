import { hrefOf } from '#app/core/text/rich-text.ts'

/** A text area has this text, of which the part between the two places is chosen. */
export interface ChosenText {
  text: string
  from: number
  to: number
}

/** These words stand where a person chose none. */
const PLACEHOLDER = 'palabras'

const replace = ({ text, from, to }: ChosenText, by: string) => text.slice(0, from) + by + text.slice(to)

/** Leaves blanks at both ends out of the choice, since a mark that touches a blank counts for nothing. */
function trimmed({ text, from, to }: ChosenText): ChosenText {
  const chosen = text.slice(from, to)
  const start = from + (chosen.length - chosen.trimStart().length)
  return { text, from: Math.min(start, to), to: Math.max(start, from + chosen.trimEnd().length) }
}

/** Makes the chosen words bold, each line for itself; bold words become plain again. */
export function withBold(chosenText: ChosenText): ChosenText {
  const choice = trimmed(chosenText)
  const { text, from, to } = choice
  if (from < to && text.slice(from - 2, from) === '**' && text.slice(to, to + 2) === '**')
    return { text: text.slice(0, from - 2) + text.slice(from, to) + text.slice(to + 2), from: from - 2, to: to - 2 }
  const bold = (text.slice(from, to) || PLACEHOLDER).replace(/[^\n]*[^\s][^\n]*/g, (line) =>
    line.replace(/\S.*\S|\S/, (words) => `**${words}**`),
  )
  return { text: replace(choice, bold), from: from + 2, to: from + bold.length - 2 }
}

const LIST_HYPHEN = /^[-–•]\s+/

/** Makes list items of the lines that the choice touches; items become lines again. */
export function withList({ text, from, to }: ChosenText): ChosenText {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const lineEnd = text.indexOf('\n', to)
  const end = lineEnd === -1 ? text.length : lineEnd
  const lines = text.slice(start, end).split('\n')
  const isList = lines.every((line) => LIST_HYPHEN.test(line))
  const list = lines
    .map((line) =>
      isList
        ? line.replace(LIST_HYPHEN, '')
        : line.trim() === '' && lines.length > 1
          ? line
          : `- ${line.replace(LIST_HYPHEN, '')}`,
    )
    .join('\n')
  const caret = start + list.length
  return { text: replace({ text, from: start, to: end }, list), from: caret, to: caret }
}

/** Makes a link of the chosen words, and chooses its address, to be pasted over; or of a chosen address, and chooses its words. */
export function withLink(chosenText: ChosenText): ChosenText {
  const choice = trimmed(chosenText)
  const chosen = choice.text.slice(choice.from, choice.to).replaceAll('\n', ' ')
  const isAddress = /^\S+[./]\S+$/.test(chosen) && hrefOf(chosen) !== undefined
  const [words, address] = isAddress ? [PLACEHOLDER, chosen] : [chosen || PLACEHOLDER, 'https://']
  const from = choice.from + (isAddress ? 1 : words.length + 3)
  return {
    text: replace(choice, `[${words}](${address})`),
    from,
    to: from + (isAddress ? words : address).length,
  }
}
