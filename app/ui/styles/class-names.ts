/** Joins the class names that apply. */
export const joinClasses = (...classNames: (string | false | undefined)[]) => classNames.filter(Boolean).join(' ')
