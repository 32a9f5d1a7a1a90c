export type Theme = 'light' | 'dark' | 'system';

const KEY = 'svc-theme';

/** The chosen theme; `system` follows the operating system. app.html applies it before the first paint. */
class ThemeChoice {
  current = $state<Theme>(stored());

  choose(theme: Theme): void {
    this.current = theme;
    if (theme === 'system') {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem(KEY);
    } else {
      document.documentElement.dataset.theme = theme;
      localStorage.setItem(KEY, theme);
    }
  }
}

function stored(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

export const theme = new ThemeChoice();
