package cli

import (
	"context"
	"fmt"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

// indexKind is the kind of index as the configuration names it.
func (a *app) indexKind() string {
	if a.cluster == nil {
		return config.IndexEmbedded
	}
	return config.IndexTypesense
}

// damaging is an index that may turn out damaged while it is open.
type damaging interface{ Damage() error }

// checkLedger compares the index with the ledger.
func (a *app) checkLedger(ctx context.Context) check {
	k := check{Name: "index", Outcome: passed}
	if x, ok := a.index.(damaging); ok {
		if err := x.Damage(); err != nil {
			k.Outcome, k.Detail = failed, err.Error()
			k.Fix = "stop footnote serve and start it again; until then searches may miss documents or find wrong passages"
			return k
		}
	}
	counts, err := a.store.Counts(ctx)
	if err != nil {
		return check{Name: "ledger", Outcome: failed, Detail: err.Error(), Fix: "look at the log with --log-level debug"}
	}
	if a.cluster != nil && !a.cluster.Ready() {
		err := a.catchUp(ctx)
		if err != nil {
			k.Outcome, k.Detail, k.Fix = failed, err.Error(), "mend that; questions cannot be answered until then, and what is read meanwhile is indexed afterwards"
			return k
		}
	}
	documents, passages, err := a.index.Count(ctx)
	if err != nil {
		k.Outcome, k.Detail, k.Fix = failed, err.Error(), "mend that; questions cannot be answered until then, and what is read meanwhile is indexed afterwards"
		return k
	}
	k.Detail = counted(documents, "document") + ", " + counted(passages, "passage") + a.whereIndexed()
	if counts.NotIndexed > 0 || documents != counts.Documents || passages != counts.Passages {
		k.Outcome = failed
		k.Detail = fmt.Sprintf("the ledger has %d documents and %d passages, the index%s %d and %d",
			counts.Documents, counts.Passages, a.whereIndexed(), documents, passages)
		k.Fix = "run footnote reindex"
	}
	return k
}

// whereIndexed names a cluster.
func (a *app) whereIndexed() string {
	if a.cluster == nil {
		return ""
	}
	return " on Typesense at " + a.cluster.Where()
}
