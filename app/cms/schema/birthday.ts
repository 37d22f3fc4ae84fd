const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')

/** Parses a birthday such as «7 de agosto»; undefined if there is no such day. */
export function parseBirthday(birthday: string): { day: number; month: number } | undefined {
  const [, day, name] = /^(\d{1,2}) de (\p{L}+)$/u.exec(birthday.trim().toLowerCase()) ?? []
  const month = MONTHS.indexOf(name ?? '') + 1
  // 2024 is a leap year, so 29 February is valid.
  const date = new Date(Date.UTC(2024, month - 1, Number(day)))
  return month > 0 && date.getUTCMonth() === month - 1 ? { day: Number(day), month } : undefined
}
