/** A function that is sent to the page as text, and sees only its arguments. */
// biome-ignore lint/suspicious/noExplicitAny: any function of the page
export type PageFunction = (...args: any[]) => unknown

/** Input sequences, in the form that WebDriver and WebDriver BiDi share. */
export type InputSequence =
  | { type: 'key'; id: string; actions: { type: 'keyDown' | 'keyUp'; value: string }[] }
  | {
      type: 'pointer'
      id: string
      parameters: { pointerType: 'mouse' | 'touch' }
      actions: ({ type: 'pointerMove'; x: number; y: number } | { type: 'pointerDown' | 'pointerUp'; button: number })[]
    }

/**
 * One window of an engine, with its cookies and storage. Firefox implements it by WebDriver BiDi, WebKit by WebDriver
 * (https://www.w3.org/TR/webdriver2/).
 */
export interface BrowserWindow {
  /** @returns once the page is loaded */
  open(url: string): Promise<void>
  /** @returns once the page is loaded again */
  reload(): Promise<void>
  /** Calls a function of the page. @returns the answer, as JSON carries it */
  ask<F extends PageFunction>(what: F, ...args: Parameters<F>): Promise<Awaited<ReturnType<F>>>
  perform(inputSequences: InputSequence[]): Promise<void>
  /** Gives files of this machine to the file field that a function of the page returns. */
  choose<F extends PageFunction>(field: F, args: Parameters<F>, paths: string[]): Promise<void>
  resize(width: number, height: number): Promise<void>
  setCookie(url: string, name: string, value: string): Promise<void>
  /** A PNG of the visible part of the page. */
  picture(): Promise<Buffer>
  /** Errors of the page's scripts since it was opened, as far as the engine reports them. */
  faults(): string[]
  close(): Promise<void>
}

export interface Engine {
  newWindow(): Promise<BrowserWindow>
  stop(): Promise<void>
}

export const SIZE = { width: 1280, height: 800 }
