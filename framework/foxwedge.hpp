// All that an embedder needs: hosts from config files, agents, tools, runs. Each header says what
// it promises; docs/embedding has a whole program.
#pragma once
#include "agent/agent.hpp"
#include "agent/generate.hpp"
#include "agent/loop/loop.hpp"
#include "agent/manifest.hpp"
#include "agent/prompt.hpp"
#include "agent/tool.hpp"
#include "capability/action.hpp"
#include "capability/approval_gate.hpp"
#include "capability/tools.hpp"
#include "compose/capability_server.hpp"
#include "compose/cards.hpp"
#include "compose/host.hpp"
#include "config/load.hpp"
#include "journal/lmdb_engine.hpp"
#include "run/run.hpp"
#include "run/tree.hpp"
